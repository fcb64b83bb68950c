"""The episodes of an evaluation. Seeds depend on the evaluation's seed, the task and the sample alone.

So two evaluations (before and after training, a model and a player, a panel of 50 tasks and one of 100) play the same
worlds with the same random numbers wherever they play the same task: their difference is paired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.environments.task_set import Task


def stable_number(*parts: object) -> int:
    """A number in [0, 2³¹) that is the same for equal ``parts`` in every process."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def evaluation_jobs(panel: Iterable[Task], *, seed: int, samples: int, horizon: int, world: int = 0) -> list[EpisodeJob]:
    """``samples`` episodes a task, tasks in the panel's order; episode ``index`` is the sample's number."""
    return [
        EpisodeJob(
            task=task,
            seed=stable_number("environment", seed, task.environment, task.id, sample),
            group=stable_number("group", seed, task.environment, task.id),
            index=sample,
            horizon=horizon,
            world=world,
        )
        for task in panel
        for sample in range(samples)
    ]
