"""Texts of the worlds, from which the tokenizer of a ``tiny`` model is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentgym_rl.agents.players.player import Moment, Player
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.evaluation.panel import spread
from agentgym_rl.records.trajectory import Trajectory

_TASKS = 200
_TURNS = 3
_AT_ONCE = 8
"""Episodes in flight, each of which may be a process."""


def world_texts(worlds: Sequence[WorldSettings], retries: int = 2) -> list[str]:
    """Instructions, observations and actions of the first turns of training tasks, in a fixed order.

    Raises TooManyFaults as soon as an episode is lost: without its texts the tokenizer would be another one.
    """
    return [text for world in worlds for text in _texts(World(world), retries)]


def _texts(world: World, retries: int) -> Iterator[str]:
    walker = _Walker()
    tasks = spread(world.tasks("train"), _TASKS)
    jobs = [EpisodeJob(task, 0, number, 0, _TURNS) for number, task in enumerate(tasks)]
    with RolloutRunner([world], concurrency=_AT_ONCE, retries=retries) as runner:
        episodes = runner.play(jobs, walker, keep=_refuse_fault)
    yield walker.instructions
    for episode in episodes:
        for turn in episode.turns:
            yield turn.observation
            if not turn.admissible:
                break
            yield from (f" {action}\n" for action in turn.admissible)


class _Walker(Player):
    """Takes the first of the admissible actions in the first turn, the second in the second, and so on."""

    name = "walker"
    wants_admissible = True
    instructions = ""

    async def decide(self, moment: Moment) -> str | None:
        self.instructions = moment.environment.instructions
        actions = moment.state.admissible
        return actions[moment.turn % len(actions)] if actions else None


def _refuse_fault(episode: Trajectory) -> None:
    if not episode.valid:
        raise TooManyFaults(
            f"the texts of {episode.environment}, of which model.path=tiny makes its tokenizer: task {episode.task} was lost "
            f"to faults: {episode.faults[-1]}"
        )
