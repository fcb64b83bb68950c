"""Which of the valid actions are of use.

The simulator calls hundreds of actions valid in a kitchen, and thousands with the electrical ones: one can move the
table into a cup or connect an apple to a door. Those left here are what a person would think of.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentgym_rl.environments.sciworld.actions import NOT_OFFERED
from agentgym_rl.environments.sciworld.simulator import Scene
from agentgym_rl.environments.sciworld.things import FURNITURE, NOT_THINGS, Thing, things_of

_BETWEEN = {"move": " to ", "pour": " into ", "dunk": " into ", "use": " on ", "connect": " to "}


def offered(scene: Scene, *, everything: bool) -> list[str]:
    """The actions of use, or all but ``reset task``; sorted and each once."""
    actions = [action for action in scene.actions if action not in NOT_OFFERED]
    return sorted(set(actions if everything else _useful(scene, actions)))


def _useful(scene: Scene, actions: list[str]) -> Iterator[str]:
    judge = _Judge(scene)
    for action in actions:
        if judge.of_use(action):
            yield action


class _Judge:
    def __init__(self, scene: Scene) -> None:
        self._names = scene.names
        self._things = things_of(scene.room)
        self._room = str(scene.room["uuid"])
        self._inventory = next((id for id, thing in self._things.items() if thing.name == "inventory"), "")

    def of_use(self, action: str) -> bool:
        verb, _, rest = action.partition(" ")
        if verb in ("look", "focus", "pick", "put"):  # their second word is part of the verb
            verb, rest = f"{verb} {rest.partition(' ')[0]}", rest.partition(" ")[2]
        match verb:
            case "task" | "reset" | "disconnect":
                return False
            case "go":
                return not rest.removeprefix("to ").startswith("door ") and not rest.endswith(" door")
            case "focus on":
                return self._is(rest, lambda thing: not thing.door and thing.name not in FURNITURE)
            case "look at":
                return self._is(rest, lambda thing: not thing.door and thing.name not in FURNITURE)
            case "look in":
                return self._is(rest, lambda thing: thing.container)
            case "pick up":
                return self._is(rest, lambda thing: thing.portable)
            case "mix":
                return self._is(rest, lambda thing: thing.container and len(thing.contents) > 1)
            case "move" | "pour" | "dunk" | "use" | "connect":
                return any(self._pair(verb, one, other) for one, other in self._split(rest, _BETWEEN[verb]))
            case _:
                return True

    def _pair(self, verb: str, one: Thing | None, other: Thing | None) -> bool:
        if one is None or other is None or other.id in (self._room, self._inventory) or other.name in NOT_THINGS or other.door:
            return False
        match verb:
            case "move":
                return one.portable and one.parent != other.id and other.container and other.name not in FURNITURE
            case "pour":
                full = bool(one.contents) if one.container else one.state == "liquid"
                return full and one.portable and other.container and other.name not in FURNITURE
            case "dunk":
                return any(self._things[id].state == "liquid" for id in other.contents)
            case _:
                return other.name not in FURNITURE

    def _is(self, name: str, test: object) -> bool:
        assert callable(test)
        things = [self._things[id] for id in self._names.get(name, ()) if id in self._things]
        return any(
            thing.id not in (self._room, self._inventory) and thing.name not in NOT_THINGS and test(thing) for thing in things
        )

    def _split(self, rest: str, word: str) -> Iterator[tuple[Thing | None, Thing | None]]:
        """The pairs of things that the words may name; a name may contain the word between them."""
        place = rest.find(word)
        while place >= 0:
            for one in self._names.get(rest[:place], ()):
                for other in self._names.get(rest[place + len(word) :], ()):
                    yield self._things.get(one), self._things.get(other)
            place = rest.find(word, place + 1)
