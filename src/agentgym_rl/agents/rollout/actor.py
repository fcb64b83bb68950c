"""Whoever acts in an episode: a model, an oracle, a heuristic, a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.task_set import Task
from agentgym_rl.records.trajectory import Trajectory, Turn


@dataclass(frozen=True, slots=True)
class EpisodeJob:
    """One episode to be played."""

    task: Task
    seed: int
    """Environment seed."""
    group: int
    """Number of the draw inside the step."""
    index: int
    """Number of the episode inside its group."""
    horizon: int
    step: int = 0
    world: int = 0
    """Which of the run's worlds it plays in."""


class ContextFull(Exception):
    """The next observation, or any message to it, does not fit the context: the episode ends as ``context``."""


class Episode(Protocol):
    """An actor's side of one episode."""

    async def act(self, state: Transition, turn: int) -> Turn:
        """Decide on ``state``. Fills ``observation message action problem stop admissible kept understood`` of the turn;
        ``action`` None means the message could not be read and ``problem`` says why. Raises :class:`ContextFull`.
        """

    def finish(self, trajectory: Trajectory) -> None:
        """Add what this actor records (segments, counters) to the finished trajectory, and free what it holds.

        Called exactly once for an episode, faults included.
        """


class Actor(Protocol):
    """Makes an :class:`Episode` for each job."""

    wants_admissible: bool
    """Whether states should come with their admissible actions."""

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> Episode:
        """Called before the environment is reset."""
