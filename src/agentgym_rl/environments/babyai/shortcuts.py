"""Cheap players that never read the goal. A trained model has to beat the best of them to have learnt anything."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from agentgym_rl.environments.babyai.episode import Episode


def visit(episode: Episode, random: np.random.Generator) -> str:
    """Go to the nearest thing in sight that it has not faced yet; when there is none, look for more."""
    moves = episode.state.options.moves
    for seen in episode.state.in_sight:
        if id(seen.thing) not in episode.faced and f"go to {seen.label}" in moves:
            return f"go to {seen.label}"
    return _look_for_more(moves, random)


def collect(episode: Episode, random: np.random.Generator) -> str:
    """Pick up the nearest thing in sight that it has not faced yet, put it down, and so on; open doors on the way."""
    moves = episode.state.options.moves
    if "drop" in moves:
        return "drop"
    for seen in episode.state.in_sight:
        if id(seen.thing) not in episode.faced:
            for action in (f"pick up {seen.label}", f"toggle and go through {seen.label}"):
                if action in moves:
                    return action
    return _look_for_more(moves, random)


def _look_for_more(moves: Iterable[str], random: np.random.Generator) -> str:
    """One time in two turn, else through a door or straight on if possible."""
    ways = [action for action in moves if "go through" in action or action == "move forward"]
    if not ways or random.random() < 0.5:
        return "turn left"
    return ways[0]
