"""Which of the valid actions are of use.

The simulator calls a thousand actions valid in a kitchen, and thousands with the electrical ones: one can move the
table into a cup or connect an apple to a door. Those left here are what a person would think of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentgym_rl.environments.sciworld.actions import NOT_OFFERED
from agentgym_rl.environments.sciworld.simulator import Scene
from agentgym_rl.environments.sciworld.things import Thing, things_of

_ALWAYS = frozenset({"inventory", "wait", "wait1"})
_IF_SEEN = frozenset({"activate", "close", "deactivate", "open", "read"})
_WITH_SECOND_WORD = frozenset({"focus", "look", "pick", "put"})
_BETWEEN = {"move": " to ", "pour": " into ", "dunk": " into ", "use": " on ", "connect": " to "}


def offered(scene: Scene, *, everything: bool) -> list[str]:
    """The actions of use, or all but ``reset task``; sorted and each once."""
    actions = sorted({action for action in scene.actions if action not in NOT_OFFERED})
    return actions if everything else list(_useful(scene, actions))


def _useful(scene: Scene, actions: list[str]) -> Iterator[str]:
    judge = _Judge(scene)
    for action in actions:
        if judge.of_use(action):
            yield action


class _Judge:
    def __init__(self, scene: Scene) -> None:
        self._things = things_of(scene.room)
        self._called = {
            name: [self._things[id] for id in ids if id in self._things] for name, ids in scene.names.items() if name
        }
        listed = {thing.id for things in self._called.values() for thing in things}
        self._parts = {thing.parent for thing in self._things.values() if thing.contact and thing.id in listed}
        """The ids of what has contacts that are things to connect: it is not itself one."""
        self._connected: set[frozenset[str]] = set()

    def of_use(self, action: str) -> bool:
        verb, _, rest = action.partition(" ")
        if verb in _WITH_SECOND_WORD:
            second, _, rest = rest.partition(" ")
            verb = f"{verb} {second}"
        if verb in _BETWEEN:
            return any(self._pair(verb, one, other) for one, other in self._split(rest, _BETWEEN[verb]))
        match verb:
            case "look around":
                return True
            case "go" | "teleport":
                return not rest.endswith(" door") and not rest.startswith("to door ")
            case "focus on":
                return self._is(rest, lambda thing: not thing.contact and not thing.door)
            case "look at":
                return self._is(rest, lambda thing: not (thing.contact or thing.door or thing.furniture))
            case "pick up":
                return self._is(rest, lambda thing: thing.portable)
            case "put down":
                return self._is(rest, lambda thing: thing.held)
            case "mix":
                return self._is(rest, lambda thing: len(thing.contents) > 1 and not thing.furniture)
            case _:
                return verb in _ALWAYS or (verb in _IF_SEEN and not self._hidden(rest))

    def _pair(self, verb: str, one: Thing, other: Thing) -> bool:
        if not (one.seen and other.seen) or one is other or other.id == one.parent or other.parent == one.id:
            return False
        match verb:
            case "move":
                return self._takes(other) and self._movable(one, other)
            case "pour":
                return one.portable and self._pourable(one) and self._takes(other)
            case "dunk":
                return one.held and one.container and any(self._things[id].state == "liquid" for id in other.contents)
            case "use":
                return one.held and not (other.contact or other.door)
            case _:
                return self._connects(one, other)

    def _movable(self, one: Thing, other: Thing) -> bool:
        """What is in hand, anywhere; the rest, furniture too, into the boxes that tasks ask for; small things into devices; and
        soil into flower pots.
        """
        if other.name.endswith(" box"):
            return one.portable or one.furniture
        if one.name == "soil" and other.name.startswith("flower pot"):
            return one.portable
        return one.portable and (one.held or not other.portable)

    def _pourable(self, container: Thing) -> bool:
        return any(self._things[id].state is not None for id in container.contents)

    @staticmethod
    def _takes(container: Thing) -> bool:
        return container.open and not container.furniture

    def _connects(self, one: Thing, other: Thing) -> bool:
        """A wire's contact to that of another part, or to a thing to test; in one of the two orders."""
        pair = frozenset({one.id, other.id})
        if pair in self._connected or (one.parent == other.parent and one.contact and other.contact):
            return False
        wires = [self._wire(thing) for thing in (one, other)]
        if not any(wires) or not all(thing.contact or self._testable(thing) for thing in (one, other)):
            return False
        self._connected.add(pair)
        return True

    def _wire(self, thing: Thing) -> bool:
        return thing.contact and thing.parent is not None and self._things[thing.parent].wire

    def _testable(self, thing: Thing) -> bool:
        return thing.portable and thing.id not in self._parts

    def _is(self, name: str, test: Callable[[Thing], bool]) -> bool:
        return any(thing.seen and test(thing) for thing in self._called.get(name, ()))

    def _hidden(self, name: str) -> bool:
        """Whether there is nothing of that name but in closed containers; doors belong to two rooms and are in none."""
        things = self._called.get(name, [])
        return bool(things) and not any(thing.seen for thing in things)

    def _split(self, rest: str, word: str) -> Iterator[tuple[Thing, Thing]]:
        """The pairs of things that the words may name; a name may contain the word between them."""
        place = rest.find(word)
        while place >= 0:
            for one in self._called.get(rest[:place], ()):
                for other in self._called.get(rest[place + len(word) :], ()):
                    yield one, other
            place = rest.find(word, place + 1)
