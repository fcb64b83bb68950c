"""The high-level actions: which can be executed now, as what primitive moves, and why another can't."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agentgym_rl.environments.babyai.paths import Paths, find_paths, passable
from agentgym_rl.environments.babyai.simulation import (
    DROP,
    FORWARD,
    LEFT,
    PICK_UP,
    RIGHT,
    TOGGLE,
    Simulation,
    Thing,
    door_state,
    name,
)
from agentgym_rl.environments.babyai.view import Seen
from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

Moves = tuple[int, ...]

_WITH_THING = re.compile(
    r"(?P<verb>go to|pick ?up|toggle and go through|go through) (?:the )?"
    r"(?P<name>(?:red|green|blue|purple|yellow|grey) (?:ball|box|key|door))(?: (?P<number>[0-9]{1,3}))?",
)
_ALONE = ("move forward", "turn left", "turn right", "toggle", "drop")

_THING = Parameter("thing", "string", "A thing in sight with its number, such as `red ball 1`.")
_DOOR = Parameter("door", "string", "A door in sight with its number, such as `blue door 1`.")
SCHEMA: ActionSchema = (
    ActionFunction("go_to", "Walk up to a thing and face it.", (_THING,), "go to {thing}"),
    ActionFunction("pick_up", "Walk up to a thing and pick it up.", (_THING,), "pick up {thing}"),
    ActionFunction("go_through", "Walk into an open door.", (_DOOR,), "go through {door}"),
    ActionFunction(
        "toggle_and_go_through",
        "Walk up to a closed door, or to a locked one with its key in hand, open it and walk into it.",
        (_DOOR,),
        "toggle and go through {door}",
    ),
    ActionFunction("toggle", "Open or close the door, or open the box, right in front.", template="toggle"),
    ActionFunction("drop", "Put down what is carried on the empty place right in front.", template="drop"),
    ActionFunction("move_forward", "Walk one step.", template="move forward"),
    ActionFunction("turn_left", "Turn left on the spot.", template="turn left"),
    ActionFunction("turn_right", "Turn right on the spot.", template="turn right"),
)

INSTRUCTIONS = """\
You are in a building of rooms with balls, boxes, keys and doors. You see what is ahead of you, not what is behind you or \
behind walls and closed doors. Reach the goal with these actions:
go to THING: walk up to a thing in sight and face it
pick up THING: walk up to a thing and pick it up (carry one at a time)
go through DOOR: walk into an open door
toggle and go through DOOR: open a closed door and walk into it (a locked door needs the key of its colour in hand)
toggle: open or close what is right in front
drop: put down what you carry right in front
move forward, turn left, turn right
A thing is named with its number in the last observation, such as red ball 1."""


def read(action: str) -> tuple[str, str] | None:
    """An action string as (verb, label of its thing or ""); None: it is no action of this world.

    Case, spaces and a final full stop don't matter; ``pickup`` is ``pick up``; a thing without number is the nearest.
    """
    text = " ".join(action[:100].lower().split()).removesuffix(".")
    if text in _ALONE:
        return text, ""
    if not (match := _WITH_THING.fullmatch(text)):
        return None
    verb = "pick up" if match["verb"] == "pickup" else match["verb"]
    return verb, f"{match['name']} {int(match['number'] or 1)}"


def can_unlock(door: Thing, carrying: Thing | None) -> bool:
    """Whether what is carried is the door's key."""
    return carrying is not None and carrying.type == "key" and carrying.color == door.color


def can_toggle(thing: Thing | None, carrying: Thing | None) -> bool:
    """Whether toggling changes a thing."""
    if thing is None:
        return False
    if thing.type == "door":
        return not thing.is_locked or can_unlock(thing, carrying)
    return bool(thing.type == "box")


class Options:
    """What can be done in one state of the world.

    ``moves`` maps every action that can be executed to its primitive moves, things first (nearest first), in an order
    that depends on the state alone.
    """

    def __init__(self, simulation: Simulation, known: bytearray, in_sight: Sequence[Seen]) -> None:
        """``known``: the cells seen so far in this episode, one byte each; ways are found in these only."""
        self._simulation = simulation
        self._in_sight = {seen.label: seen for seen in in_sight}
        doors = [seen.cell for seen in in_sight if seen.thing.type == "door" and seen.thing.is_open]
        self._paths: Paths = find_paths(simulation, known, [seen.cell for seen in in_sight], doors)
        self.moves: Mapping[str, Moves] = self._list()

    def _list(self) -> dict[str, Moves]:
        simulation = self._simulation
        moves: dict[str, Moves] = {}
        carrying = simulation.carrying
        for label, seen in self._in_sight.items():
            way = self._paths.facing.get(seen.cell)
            if way:
                moves[f"go to {label}"] = way
            if seen.thing.type == "door":
                if seen.thing.is_open:
                    if (through := self._paths.into.get(seen.cell)) is not None:
                        moves[f"go through {label}"] = through
                elif way is not None and can_toggle(seen.thing, carrying):
                    moves[f"toggle and go through {label}"] = (*way, TOGGLE, FORWARD)
            elif way is not None and carrying is None:
                moves[f"pick up {label}"] = (*way, PICK_UP)
        front = simulation.cells[simulation.front]
        if can_toggle(front, carrying):
            moves["toggle"] = (TOGGLE,)
        if carrying is not None and front is None:
            moves["drop"] = (DROP,)
        if passable(front):
            moves["move forward"] = (FORWARD,)
        moves["turn left"] = (LEFT,)
        moves["turn right"] = (RIGHT,)
        return moves

    def why_not(self, verb: str, label: str) -> str:
        """The reason why an action of the world can't be executed now."""
        carrying = self._simulation.carrying
        front = self._simulation.cells[self._simulation.front]
        if verb == "move forward":
            return f"a {name(front) if front and front.type != 'wall' else 'wall'} is in the way"
        if verb == "toggle":
            if front is not None and front.type == "door":
                return f"the {name(front)} is locked and you do not carry its key"
            return "there is no door or box right in front of you"
        if verb == "drop":
            return "you carry nothing" if carrying is None else "the place right in front of you is not empty"
        if (seen := self._in_sight.get(label)) is None:
            return f"there is no {label} in sight"
        is_door = seen.thing.type == "door"
        if verb == "go to" and self._paths.facing.get(seen.cell) == ():
            return f"you already face {label}"
        if verb == "pick up" and is_door:
            return "a door can't be picked up"
        if verb == "pick up" and carrying is not None:
            return f"you already carry a {name(carrying)}"
        if "through" in verb:
            if not is_door:
                return f"{label} is no door"
            state = door_state(seen.thing)
            if verb == "go through" and state != "open":
                return f"{label} is {state}"
            if verb == "toggle and go through" and state == "open":
                return f"{label} is already open: go through it"
            if state == "locked" and not can_unlock(seen.thing, carrying):
                return f"{label} is locked and you do not carry its key"
        return f"no free way to {label} is known"
