"""Where to put something down without being in one's own way."""

from __future__ import annotations

from agentgym_rl.environments.babyai.paths import passable
from agentgym_rl.environments.babyai.simulation import Simulation

ENOUGH = 6
"""Places to choose from; more would only cost time."""


def places_to_drop(simulation: Simulation, keep_free: frozenset[int]) -> frozenset[int]:
    """Some of the nearest empty cells outside ``keep_free`` where an object cuts nothing off; else any empty ones."""
    good: list[int] = []
    spare: list[int] = []
    frontier, reached = [simulation.agent], {simulation.agent}
    for cell in frontier:
        if simulation.cells[cell] is None:
            spare.append(cell)
            if cell not in keep_free and _harmless(simulation, cell):
                good.append(cell)
                if len(good) == ENOUGH:
                    break
        for step in simulation.steps:
            near = cell + step
            if near not in reached and passable(simulation.cells[near]):
                reached.add(near)
                frontier.append(near)
    return frozenset(good or [cell for cell in spare if cell not in keep_free] or spare)


def _harmless(simulation: Simulation, cell: int) -> bool:
    """Whether the free cells around stay connected, no door is next to it, and no neighbour loses its last free side."""
    cells, steps = simulation.cells, simulation.steps
    right, down, left, up = steps
    ring = [up, up + right, right, right + down, down, down + left, left, left + up]
    free = [passable(cells[cell + step]) for step in ring]
    if sum(free[index] != free[index - 1] for index in range(8)) > 2:
        return False
    for step in steps:
        thing = cells[cell + step]
        if thing is None or thing.type == "wall":
            continue
        if thing.type == "door":
            return False
        if not any(cells[cell + step + around] is None for around in steps if around != -step):
            return False
    return True
