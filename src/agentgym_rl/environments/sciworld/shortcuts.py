"""Cheap players that never read the task. A trained model has to beat the best of them to have learnt anything."""

from __future__ import annotations

import numpy as np

from agentgym_rl.environments.sciworld.episode import Episode


def explore(episode: Episode, random: np.random.Generator) -> str:
    """Open what is closed, go where it has been least, and never focus."""
    return _draw([action for action in episode.admissible() if action.startswith(("open ", "go "))], episode, random)


def focus(episode: Episode, random: np.random.Generator) -> str:
    """Focus."""
    return _draw([action for action in episode.admissible() if action.startswith("focus ")], episode, random)


def _draw(actions: list[str], episode: Episode, random: np.random.Generator) -> str:
    chosen = actions or episode.admissible()
    return chosen[int(random.integers(len(chosen)))]
