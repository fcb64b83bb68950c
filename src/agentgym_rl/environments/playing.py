"""Plays a few tasks of a world, for its checks: by its oracle or at random, always the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from agentgym_rl.environments.protocol import Environment, Observation
from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.task_set import SPLITS, Task

TASKS_A_SPLIT = 2
"""Tasks played of each split, from its first to its last."""
RANDOM_TURNS = 12
EXPERT_TURNS = 200
ODD_TEXTS = ("", " ", "\x00\x1b[2J\r\n", "😀\ud83d", "<|im_end|>", "你好", "get", "-1", "{}", "9" * 5000, "x" * 100_000)
"""Actions that no world means anything by, or only by chance."""

Settings = Mapping[str, Any]
Player = Callable[[Environment], str | None]


def expert(world: Environment) -> str | None:
    """The world's oracle."""
    return world.expert_action()


def random_player(seed: int) -> Player:
    """Draws from the admissible actions, or from odd texts where they can't be listed."""
    random = np.random.default_rng(seed)

    def act(world: Environment) -> str:
        offered = world.admissible_actions() or list(ODD_TEXTS)
        return offered[int(random.integers(len(offered)))]

    return act


def play(
    world: Environment, task: Task, player: Player
) -> Iterator[tuple[str | None, float, Observation, Mapping[str, Any]]]:
    """Action, reward, observation and info of each turn; the reset is a turn with an empty action."""
    observation, info = world.reset(seed=0, options={"task": task})
    yield "", 0.0, observation, info
    turns = EXPERT_TURNS if player is expert else RANDOM_TURNS
    for _ in range(turns):
        if not world.running:
            return
        action = player(world)
        if action is None:
            yield None, 0.0, observation, info
            return
        observation, reward, *_, info = world.step(action)
        yield action, reward, observation, info


def sample(id: str, settings: Settings) -> Iterator[Task]:
    """A few tasks of every split, always the same."""
    for split in SPLITS:
        found = tasks(id, split, **settings)
        places = np.linspace(0, len(found) - 1, num=min(TASKS_A_SPLIT, len(found)))
        yield from (found[int(place)] for place in places)


def episode_digest(id: str, settings: Settings) -> str:
    """SHA-256 of all that a random player and the oracle see and earn in the sampled tasks."""
    digest = hashlib.sha256()
    with make(id, **settings) as world:
        for task in sample(id, settings):
            for player in (random_player(2), expert):
                for turn in play(world, task, player):
                    digest.update(digest_of(turn).encode())
                    digest.update(digest_of(world.admissible_actions()).encode() if world.running else b"end")
    return digest.hexdigest()


def digest_of(thing: Any) -> str:
    """SHA-256 of observations, infos and the like, arrays by their bytes."""

    def plain(part: Any) -> Any:
        return hashlib.sha256(part.tobytes()).hexdigest() if isinstance(part, np.ndarray) else str(part)

    return hashlib.sha256(json.dumps(thing, default=plain, sort_keys=True).encode()).hexdigest()
