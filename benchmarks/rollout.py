"""The rollout machinery without a model: its own time a turn, and how close it comes to a perfect scheduler.

    python benchmarks/rollout.py [--episodes 64] [--turns 20] [--rounds 5] [--places 64] [--seed 0]

*Own time*: a trivial world and a scripted engine, so what is measured is the event loop, the chat rendering, the action
format or the admissible actions, and the record of the episode, the world and the script included. Every state has an
observation and a list of actions that no other has, so nothing that the rollout remembers of whole states helps. CPU time
of the process, the best of some rounds. Target: at most 200 microseconds a turn.

*Scheduling*: every step of the world sleeps on the event loop for a time from a heavy-tailed distribution (mean 50 ms; one
in a hundred takes 2 s), and the wall time is compared with that of a perfect scheduler: no time of its own, and no place
idle while an episode waits to begin. Target: at most 1.15 times that.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import heapq
import shlex
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from agentgym_rl.agents.chat import TemplateRenderer, TranscriptRenderer
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.engines.scripted import Script, ScriptedEngine
from agentgym_rl.agents.models.tiny import make_tokenizer
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.model_actor import ModelActor
from agentgym_rl.agents.rollout.runner import play_all
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Task

OWN_TARGET = 200e-6
SCHEDULING_TARGET = 1.15
MEAN_SECONDS, SLOW_SECONDS, SLOW_SHARE = 0.05, 2.0, 0.01
CONTEXT = 1 << 20
INSTRUCTIONS = "You are in a house with many rooms. Act until you are told to stop."
OBSERVATION = "You are in room {room}. There is a red door to the north, a lamp, and a note that says: nothing to see here."
DOORS = 12
TASK = Task(id="walk", environment="house", split="train", category="house")


@dataclass
class House:
    """An :class:`AsyncEnvironment` in which every turn leads to a new room, after as long as ``sleeps`` says."""

    sleeps: Callable[[int, int], float] | None
    """Seed of the episode and number of the turn → seconds; None: at once."""
    instructions: str = INSTRUCTIONS
    action_schema: ActionSchema = ()

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        self._episode, self._turn = seed, 0
        return self._state(admissible)

    async def step(self, action: str, *, admissible: bool = False) -> Transition:  # noqa: ARG002
        if self.sleeps is not None:
            await asyncio.sleep(self.sleeps(self._episode, self._turn))
        self._turn += 1
        return self._state(admissible)

    async def expert_action(self) -> str | None:
        return None

    async def shortcut_action(self, name: str, seed: int) -> str:
        raise NotImplementedError(name, seed)

    async def close(self) -> None:
        pass

    def _state(self, admissible: bool) -> Transition:
        info = {"score": 0.0, "success": False, "understood": True, "state_key": None}
        room = 1000 * self._episode + self._turn
        actions = tuple(f"go to room {room + door}" for door in range(DOORS)) if admissible else None
        return Transition(OBSERVATION.format(room=room), 0.0, False, False, info, actions)


class Houses(World):
    """A world of houses, so that nothing has to be registered."""

    def __init__(self, sleeps: Callable[[int, int], float] | None = None) -> None:
        super().__init__(WorldSettings(id="house"))
        self._sleeps = sleeps

    def acquire(self) -> AsyncEnvironment:
        return House(self._sleeps)


def say(session: int, context: Any, message: str) -> str:  # noqa: ARG001
    return message


def choose(session: int, context: Any) -> int:
    return session + len(context)


REACT = "Thought: The red door has not been opened yet, so I go on.\nAction: go to room 3"
KINDS: dict[str, tuple[AgentSettings, Script]] = {
    "transcript, raw, free": (
        AgentSettings(format="raw", template="transcript"),
        partial(say, message="go to room 3"),
    ),
    "transcript, raw, admissible": (
        AgentSettings(format="raw", template="transcript", action_space="admissible"),
        choose,
    ),
    "chat, react, free": (AgentSettings(format="react"), partial(say, message=REACT)),
    "chat, react, admissible": (AgentSettings(format="react", action_space="admissible"), choose),
}


def make_actor(kind: str) -> ModelActor:
    """An actor whose messages are scripted."""
    settings, script = KINDS[kind]
    tokenizer = make_tokenizer([INSTRUCTIONS, OBSERVATION, REACT], 512)
    renderer: ChatRenderer = (
        TranscriptRenderer(tokenizer) if settings.template == "transcript" else TemplateRenderer(tokenizer)
    )
    return ModelActor(ScriptedEngine(renderer, script), renderer, settings, Sampling(), context=CONTEXT, seed=0)


def jobs(episodes: int, turns: int) -> list[EpisodeJob]:
    return [EpisodeJob(TASK, seed=number, group=number, index=0, horizon=turns) for number in range(episodes)]


def own_seconds(kind: str, episodes: int, turns: int, rounds: int) -> float:
    """CPU seconds a turn, the best of ``rounds`` after one to warm up."""
    actor, house, best = make_actor(kind), Houses(), float("inf")
    for number in range(rounds + 1):
        gc.collect()
        start = time.process_time()
        played = asyncio.run(play_all(jobs(episodes, turns), [house], actor))
        taken = time.process_time() - start
        assert sum(len(episode.turns) for episode in played) == episodes * turns
        if number:
            best = min(best, taken / (episodes * turns))
    return best


def heavy_tailed(episodes: int, turns: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Seconds of each step ``[episodes, turns]``: log-normal, and a few that take 2 s; 50 ms in the mean."""
    chance = np.random.default_rng(seed)
    usual = (MEAN_SECONDS - SLOW_SHARE * SLOW_SECONDS) / (1 - SLOW_SHARE)
    times = chance.lognormal(np.log(usual) - 0.5, 1.0, (episodes, turns))
    slow = chance.permutation(episodes * turns)[: max(1, round(SLOW_SHARE * episodes * turns))]
    times.reshape(-1)[slow] = SLOW_SECONDS
    return times


def scheduling(kind: str, episodes: int, turns: int, places: int, seed: int) -> tuple[float, float, float]:
    """Wall seconds, those of a perfect scheduler, and the mean seconds of a step."""
    times = heavy_tailed(episodes, turns, seed)
    house = Houses(lambda episode, turn: float(times[episode, turn]))
    actor = make_actor(kind)
    asyncio.run(play_all(jobs(1, turns), [Houses()], actor))  # encodings that are kept are made before the clock starts
    start = time.perf_counter()
    asyncio.run(play_all(jobs(episodes, turns), [house], actor, concurrency=places))
    taken = time.perf_counter() - start
    return taken, perfect_seconds(times.sum(1), places), float(times.mean())


def perfect_seconds(lengths: Iterable[float], places: int) -> float:
    """When the last episode ends if each begins, in order, as soon as a place is free."""
    free = [0.0] * places
    for length in lengths:
        heapq.heapreplace(free, free[0] + float(length))
    return max(free)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--places", type=int, default=64, help="most episodes in flight while scheduling is measured")
    parser.add_argument("--seed", type=int, default=0, help="of the times of the world's steps")
    options = parser.parse_args()
    console = Console()
    console.print(f"python benchmarks/rollout.py {shlex.join(sys.argv[1:])}".rstrip(), style="bold")
    table = Table("agent", "own time a turn", "target", title=f"{options.episodes} episodes of {options.turns} turns")
    for kind in KINDS:
        own = own_seconds(kind, options.episodes, options.turns, options.rounds)
        table.add_row(kind, f"{own * 1e6:.0f} µs", f"{OWN_TARGET * 1e6:.0f} µs")
    console.print(table)
    table = Table("agent", "step", "wall", "perfect", "ratio", "target", title=f"{options.places} episodes in flight")
    for kind in KINDS:
        taken, perfect, mean = scheduling(kind, options.episodes, options.turns, options.places, options.seed)
        table.add_row(
            kind,
            f"{mean * 1e3:.0f} ms",
            f"{taken:.2f} s",
            f"{perfect:.2f} s",
            f"{taken / perfect:.3f}",
            f"{SCHEDULING_TARGET}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
