"""What the agent sees: MiniGrid's 7 by 7 cells ahead of it, as far as walls and closed doors let it."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

from agentgym_rl.environments.babyai.simulation import Simulation, Thing, name

SIZE = 7
HALF = SIZE // 2


@dataclass(frozen=True, slots=True)
class Seen:
    """A thing in view, named by its running number among things of its name, nearest first."""

    label: str
    """``red ball 1``"""
    thing: Thing
    cell: int
    ahead: int
    """Cells in front of the agent."""
    right: int
    """Cells to its right; negative: to its left."""


def visible(simulation: Simulation) -> list[tuple[int, int, int]]:
    """The cells in view as (cell, cells ahead, cells to the right), row by row from the agent on.

    The same spreading of sight as MiniGrid's ``process_vis``: from row to row, within a row first left to right, then
    back. Sight never gets past the outer wall, so no cell outside the grid is asked for.
    """
    cells, agent = simulation.cells, simulation.agent
    forward = simulation.steps[simulation.direction]
    rightward = simulation.steps[(simulation.direction + 1) % 4]
    found: list[tuple[int, int, int]] = []
    row = [False] * SIZE
    row[HALF] = True
    for ahead in range(SIZE):
        start = agent + ahead * forward - HALF * rightward
        beyond = [False] * SIZE
        for column in range(SIZE - 1):
            if row[column] and _transparent(cells[start + column * rightward]):
                row[column + 1] = beyond[column] = beyond[column + 1] = True
        for column in range(SIZE - 1, 0, -1):
            if row[column] and _transparent(cells[start + column * rightward]):
                row[column - 1] = beyond[column] = beyond[column - 1] = True
        found += [(start + column * rightward, ahead, column - HALF) for column in range(SIZE) if row[column]]
        row = beyond
        if not any(row):
            break
    return found


def _transparent(thing: Thing | None) -> bool:
    return thing is None or (thing.type != "wall" and (thing.type != "door" or bool(thing.is_open)))


def things(simulation: Simulation, in_view: list[tuple[int, int, int]]) -> list[Seen]:
    """The things in view but walls, nearest first (by moves; then straight ahead first, then left to right)."""
    cells, agent = simulation.cells, simulation.agent
    near = [
        (ahead + abs(right), abs(right), right, ahead, cell, thing)
        for cell, ahead, right in in_view
        if (thing := cells[cell]) is not None and cell != agent and thing.type != "wall"
    ]
    near.sort(key=itemgetter(slice(5)))
    numbers: dict[str, int] = {}
    seen = []
    for _, _, right, ahead, cell, thing in near:
        called = name(thing)
        numbers[called] = numbers.get(called, 0) + 1
        seen.append(Seen(f"{called} {numbers[called]}", thing, cell, ahead, right))
    return seen


def walls(simulation: Simulation, in_view: list[tuple[int, int, int]]) -> dict[str, int]:
    """Cells to the nearest wall in view straight ahead, to the left and to the right; a side without one is absent."""
    cells = simulation.cells
    near: dict[str, int] = {}
    for cell, ahead, right in in_view:
        thing = cells[cell]
        if (ahead and right) or thing is None or thing.type != "wall":
            continue
        side, distance = ("ahead", ahead) if ahead else ("left", -right) if right < 0 else ("right", right)
        near[side] = min(distance, near.get(side, distance))
    return near
