"""Plays a panel with an actor and reports. It knows the worlds and the actor only: no training state is in reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentgym_rl.agents.rollout.actor import Actor, EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults, refuse_faults
from agentgym_rl.agents.rollout.runner import Progress, RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.task_set import Split, TaskSet
from agentgym_rl.evaluation.jobs import evaluation_jobs
from agentgym_rl.evaluation.panel import pick, refuse_overlap
from agentgym_rl.evaluation.report import Report
from agentgym_rl.evaluation.store import EpisodeStore
from agentgym_rl.records.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a panel is played. Evaluations are comparable where these agree."""

    split: Split = "test"
    horizon: int = 30
    """Most turns an episode."""
    samples: int = 1
    """Episodes a task."""
    temperature: float = 1.0
    seed: int = 0
    """With task and sample it makes each episode's seeds."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A report and the episodes behind it, in the order of the panel."""

    report: Report
    trajectories: Sequence[Trajectory]


def held_out(
    worlds: Sequence[World], split: Split, tasks: int | None = None, categories: Sequence[str] | None = None
) -> list[TaskSet]:
    """The panel of each world: ``tasks`` of its split at most, spread evenly.

    ``categories`` None: those each world trains on. With several worlds a category counts where it is known.

    Raises:
        PanelOverlap: a task of the panel is, by id or content, one of the world's training tasks.
        ValueError: a category that no world has, or nothing to evaluate.
    """
    panels, unknown = [], set(categories or ())
    for world in worlds:
        available = world.tasks(split)
        wanted = trained_categories(world) if categories is None else list(categories)
        if categories is not None and len(worlds) > 1:
            wanted = [one for one in categories if one in available.categories]
        unknown.difference_update(wanted or ())
        panel = TaskSet(()) if wanted == [] and len(worlds) > 1 else pick(available, tasks, wanted)
        refuse_overlap(panel, world.tasks("train"))
        panels.append(panel)
    if unknown:
        raise ValueError(f"no environment has the category {sorted(unknown)[0]!r}")
    return panels


def trained_categories(world: World) -> list[str] | None:
    """The categories a world's settings name, over all stages; None: all."""
    settings = world.settings
    if settings.categories is None and settings.stages is not None:
        return list(dict.fromkeys(category for stage in settings.stages for category in stage))
    return settings.categories


def evaluate_actor(
    runner: RolloutRunner,
    actor: Actor,
    panels: Sequence[TaskSet],
    conditions: Conditions,
    *,
    name: str,
    step: int | None = None,
    settings: Mapping[str, Any] | None = None,
    store: EpisodeStore | None = None,
    progress: Progress | None = None,
    max_fault_rate: float = 1.0,
) -> Evaluation:
    """Play ``panels`` (one for each of the runner's worlds) with ``actor``.

    Args:
        conditions: the actor samples at its own temperature; the one here is what the report says.
        settings: further JSON values for the report.
        store: where finished episodes are kept; those already there are not played again.
        max_fault_rate: the share of episodes that may be lost to faults.

    Raises:
        TooManyFaults: more than that, or all of them. What was finished is in the store.
    """
    jobs = [
        job
        for number, panel in enumerate(panels)
        for job in evaluation_jobs(
            panel, seed=conditions.seed, samples=conditions.samples, horizon=conditions.horizon, world=number
        )
    ]
    trajectories = _play(runner, actor, jobs, store, progress)
    refuse_faults(f"evaluation ({name})", trajectories, max_fault_rate)
    if not any(trajectory.valid for trajectory in trajectories):
        raise TooManyFaults.among(f"evaluation ({name})", trajectories, max_fault_rate)
    said = {**asdict(conditions), "environments": [_described(world) for world in runner.worlds], **(settings or {})}
    return Evaluation(Report.of(name, trajectories, said, step), trajectories)


def _play(
    runner: RolloutRunner, actor: Actor, jobs: Sequence[EpisodeJob], store: EpisodeStore | None, progress: Progress | None
) -> list[Trajectory]:
    if store is None:
        return runner.play(jobs, actor, progress)
    kept = [store.find(runner.worlds[job.world].settings.id, job) for job in jobs]
    missing = [job for job, episode in zip(jobs, kept, strict=True) if episode is None]
    had = len(jobs) - len(missing)

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(had + done, len(jobs))

    with store:
        played = iter(runner.play(missing, actor, report, store.keep))
    return [next(played) if episode is None else episode for episode in kept]


def _described(world: World) -> dict[str, Any]:
    return {"id": world.settings.id, "options": world.settings.options}
