"""One ScienceWorld simulator.

It is driven below the package's own ``ScienceWorldEnv.step``, which lists every valid action on each call, and below its
``PythonInterface.step``, which looks around and keeps a history on each call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.sciworld import java
from agentgym_rl.environments.sciworld.library import Library

NO_ELECTRICAL = "noElectricalAction"
AMBIGUOUS = "Ambiguous request:"
"""How an answer begins that asks for a number."""
Meaning = tuple[str, tuple[str, ...]]
"""The name of an action and the ids of its things."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the simulator said to an action."""

    text: str
    score: float
    """0 to 1; below 0: the task has failed."""
    completed: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """What there is to act on."""

    actions: list[str]
    """Every action that the simulator calls valid, in the order in which it lists them."""
    names: Mapping[str, list[str]]
    """What each thing is called in those actions: the ids of the things of that name, most often one."""
    room: Mapping[str, Any]
    """The room with all that is in it, the agent and the inventory included, as the simulator describes it."""


class Simulator:
    """Loads tasks and takes actions. Every call holds the lock; see :mod:`agentgym_rl.environments.sciworld.java`.

    Three variables of the simulator are shared by all in one process: its random numbers, its counter of things and its
    simplifications. Each simulator has its own values of them, put in place before its calls, so that what one does never
    depends on another.

    Raises:
        EnvironmentFault: from every method, when Java is gone or failed.
        MissingExtra: from the constructor, when Java or a package is not installed.
    """

    def __init__(self) -> None:
        self._java = java.borrow()
        self._closed = False
        self._last_id = 0
        self._simplifications = ""
        with java.lock(), self._java.calling("start"):
            self._library: Library = self._java.library
            self._random = self._library.root.java.util.Random(0)
            self._scratch = self._library.root.java.util.Random(0)
        self._world: Any = None

    @property
    def gone(self) -> bool:
        """Whether its Java process is gone: a new simulator gets a new one."""
        return self._java.gone is not None

    def load(self, kind: str, variation: int, simplifications: str) -> None:
        """Set up a variation."""
        self._load(kind, variation, simplifications, solve=False)

    def solution(self, kind: str, variation: int, simplifications: str) -> list[str]:
        """Set up a variation and have the simulator solve it: the actions of its gold path. Takes up to some seconds."""
        interface = self._load(kind, variation, simplifications, solve=True)
        with self._turn("gold path"):
            joined = str(self._library.root.java.lang.String.join("\n", interface.getGoldActionSequence()))
        return joined.split("\n")

    def _load(self, kind: str, variation: int, simplifications: str, *, solve: bool) -> Any:
        self._simplifications = simplifications
        with self._turn("load"):
            interface = self._library.make_interface()
            error = str(interface.load(kind, variation, simplifications, solve))
            if error:
                raise EnvironmentFault(f"sciworld: the simulator does not load {kind} {variation}: {error}")
            self._world = interface.agentInterface().get()
        return interface

    def describe(self) -> str:
        """What the task is."""
        with self._turn("description"):
            return str(self._world.getTaskDescription())

    def step(self, action: str) -> Answer:
        """Take an action."""
        with self._turn("step"):
            result = self._world.step(action)
            return Answer(str(result._1()), float(result._2()), bool(result._3()))

    def moves(self) -> int:
        """Moves of time so far; looking at the inventory takes none, waiting several."""
        with self._turn("moves"):
            return int(self._world.getCurIterations())

    def look(self) -> str:
        """What can be seen around, as ``look around`` says, but without taking a move."""
        with self._turn("look"):
            return str(self._world.freeActionLook())

    def inventory(self) -> str:
        """What is carried."""
        with self._turn("inventory"):
            return str(self._world.freeActionInventory())

    def crashed(self) -> bool:
        """Whether an action met an error of the simulator's own: it answers every further action with that."""
        with self._turn("state"):
            return bool(self._world.isInErrorState())

    def scene(self, *, electrical: bool) -> Scene:
        """What there is to act on; ``electrical``: with every ``connect``, of which there can be thousands."""
        library, world = self._library, self._world
        with self._aside(electrical):
            room = world.getAgentVisibleObjects(False)._2()
            things = library.array(library.parser.collectObjects(room, False))
            names = world.inputParser().getAllUniqueReferentsLUTObjList(things, room, True, True)
            actions = library.lines(library.definitions.mkPossibleActions(world.agent(), things, things, names, names))
            named = str(names.mkString("\n")).split("\n")
            tree = json.loads(str(room.toJSON()))
        ids: dict[str, list[str]] = {}
        for id, _, name in (line.partition(" -> ") for line in named):
            ids.setdefault(name, []).append(id)
        return Scene(actions, ids, tree)

    def meaning(self, action: str) -> Meaning | None:
        """Which action that would be, and the ids of its things; None where it is ambiguous or none. Nothing is done."""
        world = self._world
        with self._turn("parse"):
            room = world.getAgentVisibleObjects(False)._2()
            parser = world.inputParser()
            parsed = parser.parse(
                action, room, world.universe(), world.agent(), world.objMonitor(), world.task().goalSequence(), room
            )
            parser.clearAmbiguousState()
            if not parsed._1():
                return None
            found = parsed._4().get()
            assigned = found.assignments()
            slots = str(assigned.keys().mkString("\n")).split("\n")
            ids = {slot: str(assigned.apply(slot).uuid()) for slot in slots if slot != "agent"}
            return str(found.name()), tuple(ids[slot] for slot in sorted(ids))

    def question(self, action: str) -> str | None:
        """What that action would be answered with where it is ambiguous; else None. Nothing is done."""
        world = self._world
        with self._turn("parse"):
            room = world.getAgentVisibleObjects(False)._2()
            parser = world.inputParser()
            parsed = parser.parse(
                action, room, world.universe(), world.agent(), world.objMonitor(), world.task().goalSequence(), room
            )
            asked = str(parsed._3()) if parser.isInAmbiguousState() else None
            parser.clearAmbiguousState()
            return asked

    def cancel(self) -> None:
        """Drop the question that an ambiguous action was answered with."""
        with self._turn("cancel"):
            self._world.inputParser().clearAmbiguousState()

    def close(self) -> None:
        """Idempotent; the last simulator to close ends the Java process."""
        if not self._closed:
            self._closed = True
            java.give_back(self._java)

    @contextmanager
    def _turn(self, what: str) -> Iterator[None]:
        """Holds the lock, with the shared variables being this simulator's."""
        library = self._library
        with java.lock(), self._java.calling(what):
            if self._java.current is not self:
                if isinstance(self._java.current, Simulator):
                    self._java.current._last_id = library.last_id
                library.last_id = self._last_id
                library.draw_from(self._random)
                library.simplify(self._simplifications)
                self._java.current = self
            yield

    @contextmanager
    def _aside(self, electrical: bool) -> Iterator[None]:
        """For questions, which draw random numbers too: those must not change what happens later."""
        library = self._library
        with self._turn("listing actions"):
            self._scratch.setSeed(0)
            library.draw_from(self._scratch)
            if not electrical:
                library.simplify(",".join(filter(None, (self._simplifications, NO_ELECTRICAL))))
            yield
            library.draw_from(self._random)
            library.simplify(self._simplifications)
