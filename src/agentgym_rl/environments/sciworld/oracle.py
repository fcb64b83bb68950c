"""The simulator's own solution of a task, in the words in which its actions are offered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from agentgym_rl.environments.sciworld.actions import clean
from agentgym_rl.environments.sciworld.admissible import offered
from agentgym_rl.environments.sciworld.kinds import BY_NAME
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
        found = _reworded(simulator, *key)
    finally:
        simulator.close()
    with _lock:
        _solutions[key] = found
        if len(_solutions) > _KEPT:
            _solutions.popitem(last=False)
    return found


def next_action(history: Sequence[str], path: Sequence[str]) -> str | None:
    """What comes next on a path of which ``history`` is the beginning; None where it is not, or nothing comes."""
    done = len(history)
    return path[done] if done < len(path) and tuple(history) == tuple(path[:done]) else None


def _reworded(simulator: Simulator, kind: str, variation: int, simplifications: str) -> tuple[str, ...]:
    """The gold path calls things by names of its own, and goes on after the end."""
    gold = simulator.solution(kind, variation, simplifications)
    simulator.load(kind, variation, simplifications)
    simulator.step("look around")  # as an episode begins
    path = []
    for action in gold:
        if action == "task":  # takes no time
            continue
        path.append(_as_offered(simulator, action, electrical=BY_NAME[kind].electrical))
        if simulator.step(path[-1]).completed:
            break
    return tuple(path)


def _as_offered(simulator: Simulator, action: str, *, electrical: bool) -> str:
    said = clean(action) or action
    words = offered(simulator.scene(electrical=electrical), everything=False)
    if said in words:
        return said
    meaning = simulator.meaning(said)
    verb = said.partition(" ")[0]
    alike = (word for word in words if word.partition(" ")[0] == verb)
    return next((word for word in alike if meaning and simulator.meaning(word) == meaning), said)
