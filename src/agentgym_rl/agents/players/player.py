"""The base of every player: one decision a turn, nothing remembered between turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.records.trajectory import Trajectory, Turn


@dataclass(frozen=True, slots=True)
class Moment:
    """What a player decides on."""

    job: EpisodeJob
    environment: AsyncEnvironment
    state: Transition
    turn: int
    """From 0."""


class Player(ABC):
    """An :class:`~agentgym_rl.agents.rollout.actor.Actor` that decides by a rule. Subclasses implement :meth:`decide`."""

    name: str
    """What reports and records call it."""
    wants_admissible: bool = False

    @abstractmethod
    async def decide(self, moment: Moment) -> str | None:
        """The action to take; None when the player has none, which spends the turn."""

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> PlayerEpisode:  # noqa: ARG002
        """A retried episode plays as the first attempt would have: no rule looks at ``attempt``."""
        return PlayerEpisode(self, job, environment)


@dataclass(frozen=True, slots=True)
class PlayerEpisode:
    """A player's side of one episode."""

    player: Player
    job: EpisodeJob
    environment: AsyncEnvironment

    async def act(self, state: Transition, turn: int) -> Turn:
        action = await self.player.decide(Moment(self.job, self.environment, state, turn))
        return Turn(
            observation=state.text,
            message=action or "",
            action=action,
            understood=action is not None,
            problem=None if action is not None else f"the {self.player.name} player has no action here",
            admissible=None if state.admissible is None else list(state.admissible),
        )

    def finish(self, trajectory: Trajectory) -> None:
        trajectory.extras["player"] = self.player.name
