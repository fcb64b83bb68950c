"""The simulator's own solution of a task, as far as an episode has followed it."""

from __future__ import annotations

import threading
from collections import OrderedDict

from agentgym_rl.environments.sciworld.simulator import Simulator

_KEPT = 4096
_solutions: OrderedDict[tuple[str, int, str], tuple[str, ...]] = OrderedDict()
_lock = threading.Lock()


def solution(kind: str, variation: int, simplifications: str) -> tuple[str, ...]:
    """The actions of the gold path. Found by a simulator of its own, in up to some seconds, and then remembered."""
    key = (kind, variation, simplifications)
    with _lock:
        if key in _solutions:
            _solutions.move_to_end(key)
            return _solutions[key]
    simulator = Simulator()
    try:
        found = tuple(simulator.solution(*key))
    finally:
        simulator.close()
    with _lock:
        _solutions[key] = found
        if len(_solutions) > _KEPT:
            _solutions.popitem(last=False)
    return found


def next_action(episode: Episode, kind: str, variation: int, simplifications: str) -> str | None:
    """The action of the solution that comes next, in the words in which it is offered; None off its path."""
    found = solution(kind, variation, simplifications)
    done = len(episode.history)
    if tuple(episode.followed) != found[:done] or done >= len(found):
        return None
    return found[done]
