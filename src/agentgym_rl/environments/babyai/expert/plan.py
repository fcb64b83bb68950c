"""What to do next for a mission: which cell to face, and which primitive move to make there.

A pure function of the simulation's state: nothing is remembered between calls, so the oracle can take over from any
player at any time. To make up its mind it walks in thought to what the mission names next; the first thing that stops
it on the way (a locked door, an object) becomes the next thing to deal with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.babyai.actions import can_unlock
from agentgym_rl.environments.babyai.expert.search import route
from agentgym_rl.environments.babyai.expert.space import places_to_drop
from agentgym_rl.environments.babyai.simulation import DROP, PICK_UP, TOGGLE, Simulation, Thing

NOWHERE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Intent:
    """Face one of ``cells``, then make ``move`` (None: facing is all)."""

    cells: frozenset[int]
    move: int | None = None


class Planner:
    """Plans for the present state of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._cells = simulation.cells
        self._named = {id(thing) for thing in things_named(simulation.instruction)}

    def intent(self) -> Intent | None:
        """The next thing to do; None where the mission can't be done any more."""
        return self._part(self._simulation.instruction)

    def _part(self, instruction: Any) -> Intent | None:
        kind = type(instruction).__name__
        if kind in ("BeforeInstr", "AndInstr"):
            return self._part(instruction.instr_b if instruction.a_done == "success" else instruction.instr_a)
        if kind == "AfterInstr":
            return self._part(instruction.instr_a if instruction.b_done == "success" else instruction.instr_b)
        if kind == "GoToInstr":
            # The verifier's own positions: it looks for a thing where it was last put down.
            return self._go_to({self._simulation.cell(position) for position in instruction.desc.obj_poss})
        if kind == "OpenInstr":
            return self._open(self._where(instruction.desc.obj_set))
        if kind == "PickupInstr":
            return self._pick_up(self._where(instruction.desc.obj_set))
        return self._put_next(instruction.desc_move.obj_set, self._where(instruction.desc_fixed.obj_set))

    def _where(self, wanted: Iterable[Thing]) -> set[int]:
        """The cells in which things stand; what is carried or gone has none.

        "A grey object" is meant to be no wall, though MiniGrid's verifier counts walls, which are grey, among them.
        """
        ids = {id(thing) for thing in wanted if thing.type != "wall"}
        return {cell for cell, thing in enumerate(self._cells) if id(thing) in ids}

    def _way(self, targets: Iterable[int], closed: frozenset[int] = NOWHERE) -> list[int]:
        return route(self._simulation, self._simulation.agent, targets, closed, self._named)

    def _go_to(self, targets: set[int]) -> Intent:
        return self._clear(self._way(targets), NOWHERE) or Intent(frozenset(targets))

    def _open(self, doors: set[int]) -> Intent | None:
        way = self._way(doors)
        if not way:
            return None
        if first := self._clear(way, NOWHERE):
            return first
        door = self._cells[way[-1]]
        if door is not None and door.is_locked and not can_unlock(door, self._simulation.carrying):
            return self._fetch_key(way[-1], way, NOWHERE)
        return Intent(frozenset(way[-1:]), TOGGLE)

    def _pick_up(self, things: set[int], closed: frozenset[int] = NOWHERE, keep_free: Sequence[int] = ()) -> Intent | None:
        if not things:
            # The thing itself is in hand, but was not picked up when it counted.
            return self._put_down([]) if self._simulation.carrying is not None else None
        way = self._way(things, closed)
        if first := self._clear(way, closed, keep_free):
            return first
        if self._simulation.carrying is not None:
            return self._put_down([*way, *keep_free])
        return Intent(frozenset(things), PICK_UP)

    def _put_next(self, moved: Iterable[Thing], fixed: set[int]) -> Intent | None:
        carrying = self._simulation.carrying
        if not fixed:
            return self._put_down(self._way(self._where(moved))) if carrying is not None else None
        around = {cell + step for cell in fixed for step in self._simulation.steps}
        beside = {cell for cell in around if self._cells[cell] is None}
        if not beside:
            in_the_way = {cell for cell in around if (thing := self._cells[cell]) and thing.type not in ("wall", "door")}
            return self._pick_up(in_the_way)
        if any(thing is carrying for thing in moved):
            return self._clear(self._way(beside), NOWHERE) or Intent(frozenset(beside), DROP)
        way = self._way(self._where(moved))
        if not way:
            return None
        if first := self._clear(way, NOWHERE):
            return first
        # The way onward is cleared before the hands are full.
        onward = route(self._simulation, way[-1], beside, NOWHERE, self._named)
        if first := self._clear(onward[1:], NOWHERE, keep_free=onward):
            return first
        if carrying is not None:
            return self._put_down([*way, *onward])
        return Intent(frozenset(way[-1:]), PICK_UP)

    def _clear(self, way: list[int], closed: frozenset[int], keep_free: Sequence[int] = ()) -> Intent | None:
        """Deal with the first locked door or object on the way but its last cell; None: the way is free."""
        for cell in way[:-1]:
            thing = self._cells[cell]
            if thing is None or cell == self._simulation.agent:
                continue
            if thing.type != "door":
                if thing.type == "box" and id(thing) not in self._named:
                    # An opened box is gone (or leaves what it held): one move, and no hand is needed.
                    return self._clear(self._way({cell}, closed), closed) or Intent(frozenset({cell}), TOGGLE)
                if self._simulation.carrying is not None:
                    return self._put_down([*way, *keep_free])
                return self._clear(self._way({cell}, closed), closed) or Intent(frozenset({cell}), PICK_UP)
            if thing.is_locked:
                if can_unlock(thing, self._simulation.carrying):
                    return self._clear(self._way({cell}, closed), closed) or Intent(frozenset({cell}), TOGGLE)
                return self._fetch_key(cell, [*way, *keep_free], closed)
        return None

    def _fetch_key(self, door: int, way: list[int], closed: frozenset[int]) -> Intent | None:
        """Get the key of a locked door without going through that door; ``way`` is kept free of things put down."""
        color = self._cells[door].color  # type: ignore[union-attr]
        closed |= {door}
        keys = {cell for cell, thing in enumerate(self._cells) if thing and thing.type == "key" and thing.color == color}
        if keys:
            return self._pick_up(keys, closed, way)
        boxes = {cell for cell, thing in enumerate(self._cells) if thing and _holds_key(thing, color)}
        if not boxes:
            carried = self._simulation.carrying
            return self._put_down(way) if carried and _holds_key(carried, color) else None
        return self._clear(self._way(boxes, closed), closed) or Intent(frozenset(boxes), TOGGLE)

    def _put_down(self, way: list[int]) -> Intent:
        """Put down what is carried, not on the way onward; the agent's own cell, its first, is soon behind it."""
        return Intent(places_to_drop(self._simulation, frozenset(way[1:])), DROP)


def things_named(instruction: Any) -> list[Thing]:
    """All things that fit a description in the mission."""
    if hasattr(instruction, "instr_a"):
        return things_named(instruction.instr_a) + things_named(instruction.instr_b)
    descriptions = [getattr(instruction, name, None) for name in ("desc", "desc_move", "desc_fixed")]
    return [thing for description in descriptions if description for thing in description.obj_set]


def _holds_key(thing: Thing, color: str) -> bool:
    return bool(thing.type == "box" and thing.contains and thing.contains.type == "key" and thing.contains.color == color)
