"""``agentgym-rl eval``: plays held-out tasks and says how it went, with intervals."""

from __future__ import annotations

import math
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from agentgym_rl.cli.console import output, print_json, progress

if TYPE_CHECKING:
    from agentgym_rl.agents.rollout.runner import Progress
    from agentgym_rl.environments.settings import WorldSettings


def command(
    what: Annotated[
        str,
        typer.Argument(
            help="A run's folder, a checkpoint, a Hugging Face folder or hub id, openai:MODEL, expert, random, shortcut.",
            metavar="WHAT",
        ),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(help="A model's settings: agent.format=react, rollout.max_tokens=128 …", metavar="[KEY=VALUE]..."),
    ] = None,
    env: Annotated[str | None, typer.Option(help="The environment; a run brings its own.")] = None,
    option: Annotated[list[str] | None, typer.Option(help="A setting of the environment, KEY=VALUE; repeatable.")] = None,
    split: Annotated[str | None, typer.Option(help="test or validation.")] = None,
    category: Annotated[list[str] | None, typer.Option(help="Only this category; repeatable.")] = None,
    tasks: Annotated[int | None, typer.Option(min=0, help="So many tasks, spread evenly; 0: all. [100]")] = None,
    samples: Annotated[int | None, typer.Option(min=1, help="Episodes a task, for Avg@k and Pass@k. [1]")] = None,
    horizon: Annotated[int | None, typer.Option(min=1, help="Most turns an episode. [the run's last, or 30]")] = None,
    temperature: Annotated[float | None, typer.Option(min=0, help="0 is greedy. [the run's, or 1]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds make paired evaluations.")] = 0,
    base_url: Annotated[str | None, typer.Option(help="Server of an openai:MODEL, e.g. http://127.0.0.1:8000/v1.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, mps.")] = "auto",
    concurrency: Annotated[int, typer.Option(min=1, help="Most episodes in flight.")] = 256,
    out: Annotated[Path | None, typer.Option(help="Keep report and episodes in this folder; goes on where it was.")] = None,
    compare: Annotated[Path | None, typer.Option(help="A report.json or eval/STEP.json to compare with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Evaluate a model or a player on held-out tasks. What is not given is taken from the run, where WHAT belongs to one.

    Example: agentgym-rl eval runs/quickstart --category depth-2 --samples 4 --out evals/quickstart
    """
    from agentgym_rl.cli.world import refusals_are_bad_use
    from agentgym_rl.evaluation.api import evaluate
    from agentgym_rl.training.interrupts import Interrupts

    if temperature is not None and math.isinf(temperature):
        raise typer.BadParameter("inf is no temperature", param_hint="--temperature")
    with refusals_are_bad_use(), Interrupts().installed(), ExitStack() as stack:
        before = _report(compare)
        try:
            report = evaluate(
                what,
                _world(env, option or []),
                split=_split(split),
                categories=category,
                tasks=tasks,
                samples=samples,
                horizon=horizon,
                temperature=temperature,
                seed=seed,
                overrides=overrides or [],
                device=device,
                base_url=base_url,
                concurrency=concurrency,
                out=out,
                progress=_progress(stack),
            )
        except KeyboardInterrupt:
            again = f"; go on with: {shlex.join(['agentgym-rl', *sys.argv[1:]])}" if out else "; with --out it could go on"
            print(f"stopped{again}", file=sys.stderr)
            raise typer.Exit(130) from None
        stack.close()
        _show(report, before, as_json)


def _show(report: Any, before: Any, as_json: bool) -> None:
    from agentgym_rl.evaluation.comparison import NotComparable, compare, comparison_table
    from agentgym_rl.evaluation.table import report_table

    change, refusal = None, None
    try:
        change = compare(before, report) if before else None
    except NotComparable as error:
        refusal = error
    if as_json:
        print_json({**report.as_dict(), **({"comparison": change.as_dict()} if change else {})})
    else:
        output().print(report_table(report))
    if refusal is not None:
        raise refusal  # only now: the evaluation took its time, whatever it was to be compared with
    if change and not as_json:
        output().print(f"\nagainst {change.before.name}, on the tasks both played:\n{comparison_table(change)}")


def _split(name: str | None) -> Literal["validation", "test"] | None:
    if name not in (None, "validation", "test"):
        raise typer.BadParameter(
            f"{name!r} is not test or validation: what is trained on says nothing", param_hint="--split"
        )
    return cast("Literal['validation', 'test'] | None", name)


def _world(env: str | None, words: list[str]) -> str | WorldSettings | None:
    if not words:
        return env
    if env is None:
        raise typer.BadParameter("give --env with it: a run brings its environment's settings", param_hint="--option")
    from agentgym_rl.cli.world import parse_settings
    from agentgym_rl.environments.settings import WorldSettings

    return WorldSettings(id=env, options=parse_settings(words))


def _report(path: Path | None) -> Any:
    from agentgym_rl.evaluation.report import Report
    from agentgym_rl.records.errors import RecordError

    if path is None:
        return None
    try:
        return Report.read(path)
    except RecordError as error:
        raise typer.BadParameter(str(error), param_hint="--compare") from error


def _progress(stack: ExitStack) -> Progress:
    """A bar on a terminal, a line each quarter in a log."""
    console = progress()
    if not console.is_terminal:
        said = [0]

        def log(done: int, total: int) -> None:
            if 4 * done // total > said[0]:
                said[0] = 4 * done // total
                console.print(f"{done} of {total} episodes")

        return log
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = stack.enter_context(
        Progress(
            TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=True
        )
    )
    task = bar.add_task("episodes", total=None)
    return lambda done, total: bar.update(task, completed=done, total=total)
