"""Breadth-first path finding in the part of the grid that the agent has seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agentgym_rl.environments.babyai.simulation import FORWARD, LEFT, RIGHT, Simulation, Thing


@dataclass(frozen=True, slots=True)
class Paths:
    """The shortest ways to the things asked for, as primitive moves; a thing that can't be reached is absent."""

    facing: dict[int, tuple[int, ...]]
    """Thing's cell → the moves after which the agent faces it."""
    into: dict[int, tuple[int, ...]]
    """Open door's cell → the moves after which the agent stands in it."""


def passable(thing: Thing | None) -> bool:
    """Whether one can walk into a cell with this in it."""
    return thing is None or (thing.type == "door" and bool(thing.is_open))


def find_paths(simulation: Simulation, seen: bytearray, face: Iterable[int], enter: Iterable[int]) -> Paths:
    """Search once from the agent for the ways to face each cell of ``face`` and to stand in each cell of ``enter``.

    Of several shortest ways it takes the first in the order forward, left, right.
    """
    cells, steps = simulation.cells, simulation.steps
    facing: dict[int, tuple[int, ...]] = {}
    into: dict[int, tuple[int, ...]] = {}
    unfaced, unentered = set(face), set(enter)
    start = simulation.agent * 4 + simulation.direction
    came: dict[int, tuple[int, int]] = {start: (start, -1)}
    frontier = [start]
    for state in frontier:
        cell, direction = state >> 2, state & 3
        front = cell + steps[direction]
        if front in unfaced:
            unfaced.discard(front)
            facing[front] = _moves(came, state)
        if cell in unentered:
            unentered.discard(cell)
            into[cell] = _moves(came, state)
        if not unfaced and not unentered:
            break
        if seen[front] and passable(cells[front]):
            ahead = front * 4 + direction
            if ahead not in came:
                came[ahead] = (state, FORWARD)
                frontier.append(ahead)
        for turned, move in ((cell * 4 + (direction - 1) % 4, LEFT), (cell * 4 + (direction + 1) % 4, RIGHT)):
            if turned not in came:
                came[turned] = (state, move)
                frontier.append(turned)
    return Paths(facing, into)


def _moves(came: dict[int, tuple[int, int]], state: int) -> tuple[int, ...]:
    moves = []
    state, move = came[state]
    while move >= 0:
        moves.append(move)
        state, move = came[state]
    return tuple(reversed(moves))
