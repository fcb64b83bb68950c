"""What a run shows while it works: a live table on a terminal, plain lines in a log."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from agentgym_rl.training.callbacks import Callback, Metrics

if TYPE_CHECKING:
    from agentgym_rl.training.settings import TrainSettings

_ROWS = 12
_MESSAGES = 6


class Clock:
    """How long the rest of the run will take, by the mean time of the last steps."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._recent: deque[float] = deque(maxlen=5)

    def left(self, metrics: Metrics) -> str:
        """Time left after this step, as ``4:05`` or ``1:02:03``; evaluations are not counted."""
        self._recent.append(float(metrics.get("time/step") or 0.0))
        return duration((self._steps - int(metrics["step"] or 0)) * sum(self._recent) / len(self._recent))


def duration(seconds: float) -> str:
    """``4:05`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def cells(metrics: Metrics, steps: int, left: str) -> dict[str, str]:
    """What a step's line shows, by column."""

    def number(name: str, form: str) -> str:
        value = metrics.get(name)
        return "–" if value is None else format(value, form).replace("-0.0000", "0.0000")

    divergence = "kl/reference" if metrics.get("kl/reference") is not None else "kl/rollout"
    return {
        "step": f"{metrics['step']}/{steps}",
        "horizon": number("horizon", "g"),
        "reward": number("reward/mean", ".3f"),
        "success": number("success/mean", ".3f"),
        "turns": number("turns/mean", ".1f"),
        "KL": number(divergence, ".4f"),
        "tokens/s": number("tokens_per_second/rollout", ".0f"),
        "s/step": number("time/step", ".1f"),
        "left": left,
    }


def evaluation_line(step: int, report: Mapping[str, Any]) -> str:
    """What is said of an evaluation."""
    success = report["overall"]["success"]
    if success is None:
        return f"evaluation after step {step}: every episode was lost to faults"
    tasks = report["overall"]["tasks"]
    interval = f"[{success['low']:.3f}, {success['high']:.3f}]"
    return f"evaluation after step {step}: success {success['value']:.3f} {interval} on {tasks} tasks"


class PlainLog(Callback):
    """One line a step and a message, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._phase = ("", -1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left open."""

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:
        self._steps, self._clock = settings.run.steps, Clock(settings.run.steps)
        verb = "goes on" if first_step > 1 else "begins"
        self._console.print(f"run {settings.run.name} {verb} at step {first_step} of {self._steps}, in {folder}")

    def on_message(self, text: str) -> None:
        self._console.print(text)

    def on_progress(self, phase: str, done: int, total: int) -> None:
        """Evaluations take minutes: a line each quarter."""
        quarter = (phase, 4 * done // total if total else 0)
        if phase == "evaluation" and quarter[1] and quarter != self._phase:
            self._console.print(f"{phase}: {done} of {total}")
        self._phase = quarter

    def on_step(self, metrics: Metrics) -> None:
        shown = cells(metrics, self._steps, self._clock.left(metrics))
        self._console.print("  ".join(f"{name} {value}" for name, value in shown.items()))

    def on_evaluation(self, step: int, report: Mapping[str, Any]) -> None:
        self._console.print(evaluation_line(step, report))


class LiveTable(Callback):
    """The last steps as a table, messages above, the current phase below. A context manager: it owns the screen."""

    def __init__(self, console: Console) -> None:
        self._title = Text("preparing", style="bold")
        self._messages: deque[Text] = deque(maxlen=_MESSAGES)
        self._rows: deque[dict[str, str]] = deque(maxlen=_ROWS)
        self._progress = Progress(
            TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), auto_refresh=False
        )
        self._task = self._progress.add_task("starting", total=None)
        self._phase = "starting"
        self._live = Live(get_renderable=self._render, console=console, refresh_per_second=2)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:
        self._steps, self._clock = settings.run.steps, Clock(settings.run.steps)
        worlds = ", ".join(world.id for world in settings.environment.worlds)
        resumed = f", from step {first_step}" if first_step > 1 else ""
        self._title = Text(f"{settings.run.name}: {settings.model.path} on {worlds}, in {folder}{resumed}", style="bold")

    def on_message(self, text: str) -> None:
        self._messages.append(Text(text))

    def on_progress(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase:
            self._progress.reset(self._task, description=phase)
            self._phase = phase
        self._progress.update(self._task, completed=done, total=total)

    def on_step(self, metrics: Metrics) -> None:
        self._rows.append(cells(metrics, self._steps, self._clock.left(metrics)))

    def on_evaluation(self, step: int, report: Mapping[str, Any]) -> None:
        self._messages.append(Text(evaluation_line(step, report)))

    def _render(self) -> Group:
        parts: list[Any] = [self._title, *self._messages]
        if self._rows:
            table = Table(box=None, pad_edge=False)
            for name in self._rows[0]:
                table.add_column(name, justify="right", no_wrap=True)
            for row in self._rows:
                table.add_row(*row.values())
            parts.append(table)
        return Group(*parts, self._progress)
