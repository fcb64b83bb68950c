"""``agentgym_rl.train``: settings in, a run folder out. The command line calls the same."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any

from agentgym_rl.config import ConfigError, difference, dump, load
from agentgym_rl.evaluation.comparison import compare
from agentgym_rl.evaluation.evaluate import Evaluation
from agentgym_rl.evaluation.intervals import Interval
from agentgym_rl.evaluation.report import Report
from agentgym_rl.evaluation.transcript import transcript
from agentgym_rl.records.atomic import write_atomic
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.estimate import dry_run
from agentgym_rl.training.evaluations import Evaluations, evaluation_metrics
from agentgym_rl.training.preflight import check_first_turns
from agentgym_rl.training.run_setup import Plan, load_policy, make_plan, make_runner
from agentgym_rl.training.settings import TrainSettings
from agentgym_rl.training.summary import Estimate, RunSummary
from agentgym_rl.training.trainer import Trainer

__all__ = ["dry_run", "train"]

MAY_CHANGE = (
    "run.root",
    "run.name",
    "run.steps",
    "rollout.max_fault_rate",
    "checkpoint.",
    "tracking.",
    "evaluation.players",
    "algorithm.stop_on_collapse",
)
"""Settings that a resumed run may change: the steps made so far do not depend on them."""


def train(settings: TrainSettings, *, resume: bool = False, callbacks: Sequence[Callback] = ()) -> RunSummary:
    """Train a model and evaluate it before and after.

    Args:
        settings: what to do; see :mod:`agentgym_rl.training.settings`.
        resume: go on from the last checkpoint of the run of this name. A deterministic run then repeats the
            uninterrupted one bit for bit.
        callbacks: watchers, besides the trackers of ``tracking.to``.

    Raises:
        ConfigError: a resumed run with a changed setting that matters.
        RunExists: a run of that name is there and ``resume`` is not set.
        TooManyFaults, NotFinite, Collapsed, ModelError, RecordError: see there.
        KeyboardInterrupt: after the last whole step was saved.
    """
    started = time.perf_counter()
    plan = make_plan(settings)
    run = settings.run
    with ExitStack() as stack:
        if resume:
            folder = stack.enter_context(RunFolder.resume(run.root, run.name))
            _refuse_changes(folder, settings)
        else:
            folder = stack.enter_context(RunFolder.create(run.root, run.name))
        watchers = [*callbacks, *_trackers(settings)]
        for watcher in watchers:
            watcher.on_message(f"loading {settings.model.path}")
        policy = load_policy(plan)
        runner = stack.enter_context(make_runner(plan))
        if not resume:
            check_first_turns(plan, policy, runner)
        trainer = Trainer(plan, policy, runner, folder, watchers)
        evaluations = Evaluations(plan, policy, runner, folder, watchers)
        with trainer.saved_when_stopped():
            write_atomic(folder.config, dump(settings, _versions()))
            if resume:
                if folder.checkpoint_steps() and evaluations.lacks_untrained():
                    for watcher in watchers:
                        watcher.on_message("the evaluation before training is gone: playing it again with the first weights")
                    evaluations.untrained()
                trainer.resume()
            for watcher in watchers:
                watcher.on_start(settings, folder.path, trainer.step + 1)
            return _run(plan, trainer, evaluations, folder, watchers, started)


def _run(
    plan: Plan,
    trainer: Trainer,
    evaluations: Evaluations,
    folder: RunFolder,
    watchers: Sequence[Callback],
    started: float,
) -> RunSummary:
    settings = plan.settings
    last, every = settings.run.steps, settings.evaluation.every

    def say(text: str) -> None:
        for watcher in watchers:
            watcher.on_message(text)

    held_out = sum(map(len, plan.panels))
    say(f"evaluating before training on {held_out} held-out tasks")
    before, free_before = evaluations.untrained()
    players = evaluations.players() if settings.evaluation.players else {}
    while trainer.step < last:
        if every and trainer.step and trainer.step % every == 0:
            trainer.note(evaluation_metrics(evaluations.after_step(trainer.step).report))
        trainer.run_to(min(last, (trainer.step // every + 1) * every) if every else last)
    checkpoint = trainer.save()
    say(f"evaluating after training on {held_out} held-out tasks")
    after = evaluations.after_step(trainer.step)
    trainer.note(evaluation_metrics(after.report))
    free_after = evaluations.free(trainer.step) if settings.evaluation.free else None
    summary: RunSummary = {
        "environment": ", ".join(world.settings.id for world in plan.worlds),
        "tasks": held_out,
        "horizon": evaluations.conditions.horizon,
        "temperature": settings.evaluation.temperature,
        "before": _estimate(before.report.overall.success),
        "after": _estimate(after.report.overall.success),
        "difference": _difference(before.report, after.report),
        "players": {name: report.success for name, report in players.items()},
        "free": None
        if free_before is None or free_after is None
        else {"before": free_before.success, "after": free_after.success},
        "episodes": _pair(before, after),
        "steps": trainer.step,
        "seconds": time.perf_counter() - started,
        "peak_memory_bytes": _peak_memory(),
        "folder": str(folder.path),
        "checkpoint": str(checkpoint),
        "curve": _curve(folder, trainer, before.report, after.report, players, plan),
    }
    folder.write_json(folder.summary, summary)
    for watcher in watchers:
        watcher.on_end(summary)
    return summary


def _estimate(success: Interval | None) -> Estimate:
    """Never None here: an evaluation without a valid episode stops the run."""
    if success is None:
        raise ValueError("an evaluation without a valid episode")
    return {"success": success.value, "low": success.low, "high": success.high}


def _difference(before: Report, after: Report) -> Any:
    change = compare(before, after).success.difference
    return {"mean": change.value, "low": change.low, "high": change.high}


def _pair(before: Evaluation, after: Evaluation) -> Any:
    """One task before and after: where there is one, a task that was failed and is solved now."""
    pairs = list(zip(before.trajectories, after.trajectories, strict=True))
    if not pairs:
        return None
    first, second = max(pairs, key=lambda pair: (pair[1].success and not pair[0].success, len(pair[1].turns)))
    return {"before": transcript(first, 56), "after": transcript(second, 56)}


def _curve(
    folder: RunFolder, trainer: Trainer, before: Report, after: Report, players: dict[str, Report], plan: Plan
) -> str | None:
    try:
        from agentgym_rl.evaluation.curve import draw_curve

        draw_curve(
            folder.curve,
            trainer.history,
            {"before": before.as_dict(), "after": after.as_dict()},
            {name: report.success for name, report in players.items()},
            f"{plan.settings.algorithm.name} on {', '.join(world.settings.id for world in plan.worlds)}",
        )
    except ModuleNotFoundError:
        return None
    return str(folder.curve)


def _refuse_changes(folder: RunFolder, settings: TrainSettings) -> None:
    old = load(folder.config, [], TrainSettings).settings
    changes = [change for change in difference(old, settings) if not change.key.startswith(MAY_CHANGE)]
    if changes:
        said = "; ".join(map(str, changes[:4]))
        raise ConfigError(
            f"{folder.path} was started with other settings: {said}. Resume with the old ones, or start another run: "
            "run.name=NAME"
        )


def _trackers(settings: TrainSettings) -> list[Callback]:
    if not settings.tracking.to:
        return []
    from agentgym_rl.training.tracking import make_trackers

    return make_trackers(settings.tracking)


def _versions() -> dict[str, object]:
    import torch

    packages = ("agentgym-rl", "torch", "transformers", "tokenizers", "gymnasium", "numpy")
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "threads": torch.get_num_threads(),
    }


def _peak_memory() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) * (1 if sys.platform == "darwin" else 1024)
