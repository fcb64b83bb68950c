"""Many episodes at once, without a barrier between turns or episodes: whoever is ready goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import TracebackType
from typing import Self

from agentgym_rl.agents.rollout.actor import Actor, EpisodeJob
from agentgym_rl.agents.rollout.episode import play_episode
from agentgym_rl.agents.rollout.interruptible import run_interruptible
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.records.trajectory import Trajectory

Progress = Callable[[int, int], None]
"""Called with the number of finished episodes and of all."""

Keep = Callable[[Trajectory], None]
"""Called with each episode as soon as it is finished."""


async def play_all(
    jobs: Sequence[EpisodeJob],
    worlds: Sequence[World],
    actor: Actor,
    *,
    concurrency: int = 256,
    retries: int = 2,
    fixed_lanes: bool = False,
    progress: Progress | None = None,
    keep: Keep | None = None,
) -> list[Trajectory]:
    """Play ``jobs``, at most ``concurrency`` at a time; the trajectories in the order of the jobs.

    Each of ``concurrency`` lanes plays one episode after another: whichever is next, or, with ``fixed_lanes``, every
    ``concurrency``-th one, so that which episodes are together does not depend on how long worlds take.

    An exception that is not a fault of an environment (an engine that fails, a bug) stops all episodes and is raised.
    """
    lanes = min(concurrency, len(jobs))
    played: dict[int, Trajectory] = {}

    async def play(queue: Iterator[tuple[int, EpisodeJob]]) -> None:
        for number, job in queue:
            trajectory = await play_episode(job, worlds[job.world], actor, retries=retries)
            played[number] = trajectory
            if keep is not None:
                keep(trajectory)
            if progress is not None:
                progress(len(played), len(jobs))

    numbered = list(enumerate(jobs))
    queue = iter(numbered)
    try:
        async with asyncio.TaskGroup() as group:
            for lane in range(lanes):
                group.create_task(play(iter(numbered[lane::lanes]) if fixed_lanes else queue))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [played[number] for number in range(len(jobs))]


class RolloutRunner:
    """Owns the event loop and the worlds of a run, so that synchronous code can play episodes. A context manager.

    ``deterministic``: which episodes are together depends on the jobs alone, also where worlds take their time.
    """

    def __init__(
        self, worlds: Sequence[World], *, concurrency: int = 256, retries: int = 2, deterministic: bool = False
    ) -> None:
        self.worlds = list(worlds)
        self._concurrency = concurrency
        self._retries = retries
        self._fixed_lanes = deterministic and not all(world.in_process for world in worlds)
        self._runner = asyncio.Runner()
        self._closed = False

    def play(
        self, jobs: Sequence[EpisodeJob], actor: Actor, progress: Progress | None = None, keep: Keep | None = None
    ) -> list[Trajectory]:
        """:func:`play_all` with the settings of this runner. Ctrl-C cancels the episodes, then it is a KeyboardInterrupt."""
        begin = partial(
            play_all,
            jobs,
            self.worlds,
            actor,
            concurrency=self._concurrency,
            retries=self._retries,
            fixed_lanes=self._fixed_lanes,
            progress=progress,
            keep=keep,
        )
        return run_interruptible(self._runner, begin)

    def close(self) -> None:
        """Close every environment and the loop. Idempotent."""
        if self._closed:
            return
        self._closed = True
        try:
            for world in self.worlds:
                self._runner.run(world.close())
        finally:
            self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
