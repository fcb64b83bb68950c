"""Players that need no understanding of recipes: what a trained model must beat."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np


def craft_goal_else_get(
    goal: str, crafts: Sequence[str], gets: Sequence[str], done: Set[str], random: np.random.Generator
) -> str:
    """Craft the goal as soon as that is offered, else a random ``get`` not yet done (any, once all are)."""
    offered = [craft for craft in crafts if _output(craft) == goal]
    return _draw(offered or [get for get in gets if get not in done] or gets, random)


def craft_any_else_get(
    goal: str, crafts: Sequence[str], gets: Sequence[str], done: Set[str], random: np.random.Generator
) -> str:
    """Craft the goal as soon as that is offered, else anything not yet crafted, else a random ``get`` not yet done."""
    offered = [craft for craft in crafts if _output(craft) == goal]
    fresh = [craft for craft in crafts if craft not in done]
    return _draw(offered or fresh or [get for get in gets if get not in done] or gets, random)


def _output(craft: str) -> str:
    return craft.partition(" using ")[0].split(" ", 2)[2]


def _draw(actions: Sequence[str], random: np.random.Generator) -> str:
    return actions[int(random.integers(len(actions)))]
