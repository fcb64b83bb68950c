"""The simulator's own solution of a task, in the words in which its actions are offered."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.environments.sciworld.actions import clean
from agentgym_rl.environments.sciworld.admissible import offered
from agentgym_rl.environments.sciworld.kinds import BY_NAME
from agentgym_rl.environments.sciworld.remembered import Remembered
from agentgym_rl.environments.sciworld.simulator import AMBIGUOUS, Meaning, Scene, Simulator
from agentgym_rl.environments.sciworld.things import things_of

_solutions: Remembered[tuple[str, int, str], tuple[str, ...]] = Remembered(4096)


def solution(kind: str, variation: int, simplifications: str) -> tuple[str, ...]:
    """The actions of the gold path. Found by a simulator of its own, in up to some seconds, and then remembered."""

    def find() -> tuple[str, ...]:
        simulator = Simulator()
        try:
            return _reworded(simulator, kind, variation, simplifications)
        finally:
            simulator.close()

    return _solutions.get((kind, variation, simplifications), find)


def next_action(history: Sequence[str], path: Sequence[str]) -> str | None:
    """What comes next on a path of which ``history`` is the beginning; None where it is not, or nothing comes."""
    done = len(history)
    return path[done] if done < len(path) and tuple(history) == tuple(path[:done]) else None


def _reworded(simulator: Simulator, kind: str, variation: int, simplifications: str) -> tuple[str, ...]:
    """The gold path without what its finder did in vain, such as opening an open door.

    It calls things by names of its own, and goes on after the end. Where leaving a move out costs score, because something
    has to cool or grow meanwhile, the moves are waited for instead.
    """
    gold = [action for action in simulator.solution(kind, variation, simplifications) if action != "task"]
    short, score = _replay(simulator, gold, (kind, variation, simplifications), fill=False)
    if score == 1.0:
        return short
    long, other = _replay(simulator, gold, (kind, variation, simplifications), fill=True)
    return long if other > score else short


def _replay(
    simulator: Simulator, gold: Sequence[str], task: tuple[str, int, str], *, fill: bool
) -> tuple[tuple[str, ...], float]:
    """The actions of ``gold`` that are offered, as they are offered, up to the end; and the score they get."""
    simulator.load(*task)
    electrical = BY_NAME[task[0]].electrical
    path: list[str] = []
    score = 0.0
    asked = False
    for action in gold:
        if action.isdecimal() and not asked:  # the choice of what was left out
            continue
        words = action if asked else _as_offered(simulator, action, electrical=electrical)
        if words is None and (first := _to_take(simulator, action, electrical=electrical)):
            path.append(first)
            simulator.step(first)
            words = _as_offered(simulator, action, electrical=electrical)
        words = words or ("wait1" if fill else None)
        if words is None:
            continue
        path.append(words)
        answer = simulator.step(words)
        score, asked = answer.score, answer.text.startswith(AMBIGUOUS)
        if answer.completed:
            break
    return tuple(path), score


def _as_offered(simulator: Simulator, action: str, *, electrical: bool) -> str | None:
    """The action among those offered that means the same, or None."""
    said = _say(action)
    scene = simulator.scene(electrical=electrical)
    words = offered(scene, everything=False)
    if said in words:
        return said
    verb = said.partition(" ")[0]
    alike = (word for word in words if word.partition(" ")[0] == verb)
    meant = simulator.meaning(said)
    if meant is None:  # of several alike; the gold path then names one by its number
        question = simulator.question(said)
        return next((word for word in alike if question and simulator.question(word) == question), None)
    things = _Things(scene)
    return next((word for word in alike if things.ends(simulator.meaning(word)) == things.ends(meant)), None)


_FROM_HAND = {"move": " to ", "dunk": " into ", "use": " on "}


def _to_take(simulator: Simulator, action: str, *, electrical: bool) -> str | None:
    """What picks up the thing of a valid action, which is offered only with things in hand; None: the action is not so."""
    verb, _, rest = _say(action).partition(" ")
    if verb not in _FROM_HAND or simulator.meaning(_say(action)) is None:
        return None
    return _as_offered(simulator, f"pick up {rest.partition(_FROM_HAND[verb])[0]}", electrical=electrical)


class _Things:
    """What actions are about in a scene."""

    def __init__(self, scene: Scene) -> None:
        self._things = things_of(scene.room)
        self._listed = {id for ids in scene.names.values() for id in ids}

    def ends(self, meaning: Meaning | None) -> object:
        """What is connected, in either order, with a thing for those of its contacts that have no name of their own."""
        if meaning is None or not meaning[0].startswith("connect"):
            return meaning
        return frozenset(map(self._end, meaning[1]))

    def _end(self, id: str) -> str | None:
        thing = self._things.get(id)
        return thing.parent if thing is not None and thing.contact and id not in self._listed else id


def _say(action: str) -> str:
    """With the verbs that are offered."""
    said = clean(action) or action
    for other, verb in (("examine ", "look at "), ("drop ", "put down ")):
        if said.startswith(other):
            return verb + said.removeprefix(other)
    return said
