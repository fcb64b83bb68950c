"""Which tasks an oracle ends within a horizon."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.service.client.address import is_address
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources import source_of
from agentgym_rl.environments.task_set import Task, TaskSet


def within_horizons(settings: WorldSettings, tasks: Sequence[TaskSet], turns: Sequence[int]) -> list[TaskSet]:
    """The tasks of each stage that the world's oracle ends with success within the ``turns`` of that stage.

    The oracle plays each task once, with environment seed 0; where chance matters another episode may take longer.

    Raises:
        ValueError: the world has no oracle, or a stage is left without a task.
    """
    served = settings.servers or is_address(settings.id)
    way_out = "start its server with --allow-expert, or set" if served else "set"
    with source_of(settings).make() as environment:
        longest = max(turns)
        needed: dict[str, int | None] = {}
        for task in (task for stage in tasks for task in stage):
            if task.id not in needed:
                needed[task.id] = _oracle_turns(environment, task, longest, way_out)
    stages = []
    for number, (stage, limit) in enumerate(zip(tasks, turns, strict=True)):
        reachable = TaskSet(task for task in stage if (need := needed[task.id]) is not None and need <= limit)
        if not reachable:
            raise ValueError(
                f"environment.within_horizon leaves no task of {settings.id} to train on in stage {number + 1}: its oracle ends "
                f"none of {len(stage)} within {limit} turns; lengthen horizon.turns or set environment.within_horizon=false"
            )
        stages.append(reachable)
    return stages


def _oracle_turns(environment: Environment, task: Task, limit: int, way_out: str) -> int | None:
    """Turns the oracle takes to succeed at ``task``; None when it does not within ``limit``."""
    environment.reset(seed=0, options={"task": task})
    for turn in range(1, limit + 1):
        action = environment.expert_action()
        if action is None:
            raise ValueError(
                f"environment.within_horizon needs an oracle, and {environment.id} has none for task {task.id!r}: "
                f"{way_out} environment.within_horizon=false"
            )
        _, _, terminated, truncated, info = environment.step(action)
        if terminated or truncated:
            return turn if info["success"] else None
    return None
