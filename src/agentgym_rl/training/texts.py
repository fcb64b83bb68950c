"""Texts of the worlds, from which the tokenizer of a ``tiny`` model is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.evaluation.panel import spread

_TASKS = 200
_TURNS = 3


def world_texts(worlds: Sequence[World]) -> Iterator[str]:
    """Instructions, observations and actions of the first turns of training tasks, in a fixed order."""
    for world in worlds:
        environment = world.make()
        try:
            yield environment.instructions
            for task in spread(world.tasks("train"), _TASKS):
                observation, _ = environment.reset(seed=0, options={"task": task})
                for turn in range(_TURNS):
                    yield observation if isinstance(observation, str) else str(observation["text"])
                    actions = environment.admissible_actions() or []
                    yield from (f" {action}\n" for action in actions)
                    if not actions:
                        break
                    observation, _, terminated, truncated, _ = environment.step(actions[turn % len(actions)])
                    if terminated or truncated:
                        break
        finally:
            environment.close()
