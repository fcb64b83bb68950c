"""Searches on the true grid: the cheapest route past obstacles, and distances over free ground."""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable

from agentgym_rl.environments.babyai.actions import can_unlock
from agentgym_rl.environments.babyai.simulation import Simulation

LOCKED, BLOCKED, BOXED = 40, 12, 4
"""What fetching a key, carrying an object away and opening a box (it is gone then) count in a route, in moves. Rough: they
only choose between routes."""


def route(
    simulation: Simulation, start: int, targets: Iterable[int], closed: frozenset[int], needed: Container[int]
) -> list[int]:
    """The cells of the cheapest way from ``start`` to the nearest of ``targets``, both included.

    Objects and locked doors on the way are allowed at a price, walls and the cells ``closed`` are not. Empty: no way.
    ``needed``: identities of the things that must not be lost, so that such a box is carried away, not opened.
    """
    cells, carrying, wanted = simulation.cells, simulation.carrying, set(targets)
    came = {start: start}
    cost = {start: 0}
    queue = [(0, start)]
    done: set[int] = set()
    while queue:
        so_far, cell = heapq.heappop(queue)
        if cell in wanted:
            way = [cell]
            while way[-1] != start:
                way.append(came[way[-1]])
            return way[::-1]
        if cell in done:
            continue
        done.add(cell)
        for step in simulation.steps:
            near = cell + step
            thing = cells[near]
            if near in closed or (thing is not None and thing.type == "wall"):
                continue
            price = so_far + 1
            if thing is not None and near not in wanted:
                if thing.type != "door":
                    price += BOXED if thing.type == "box" and id(thing) not in needed else BLOCKED
                elif thing.is_locked and not can_unlock(thing, carrying):
                    price += LOCKED
                elif not thing.is_open:
                    price += 1
            if price < cost.get(near, 1 << 30):
                cost[near] = price
                came[near] = cell
                heapq.heappush(queue, (price, near))
    return []


def distances(simulation: Simulation, face: Iterable[int]) -> dict[int, int]:
    """Moves to go until the agent faces one of the cells, for each state (cell × 4 + direction) up to the present one.

    Ways are over free ground and through doors it can open (one move more). States farther than the agent's are absent;
    so is the agent's if there is no way.
    """
    cells, steps, carrying = simulation.cells, simulation.steps, simulation.carrying
    goal = simulation.agent * 4 + simulation.direction
    price: dict[int, int] = {}

    def enter(cell: int) -> int:
        """Moves to step into a cell; 0: one can't."""
        known = price.get(cell)
        if known is None:
            thing = cells[cell]
            if thing is None or cell == simulation.agent:
                known = 1
            elif thing.type != "door" or (thing.is_locked and not can_unlock(thing, carrying)):
                known = 0
            else:
                known = 1 if thing.is_open else 2
            price[cell] = known
        return known

    found: dict[int, int] = {}
    frontiers: list[list[int]] = [
        [
            (cell - steps[direction]) * 4 + direction
            for cell in face
            for direction in range(4)
            if 0 <= cell - steps[direction] < len(cells) and enter(cell - steps[direction])
        ],
        [],
        [],
    ]
    distance = 0
    while frontiers[0] or frontiers[1]:
        for state in frontiers[0]:
            if state in found:
                continue
            found[state] = distance
            cell, direction = state >> 2, state & 3
            frontiers[1] += [cell * 4 + (direction + 1) % 4, cell * 4 + (direction + 3) % 4]
            if (back := cell - steps[direction]) and enter(back):
                frontiers[enter(cell)].append(back * 4 + direction)
        if goal in found:
            break
        frontiers = [*frontiers[1:], []]
        distance += 1
    return found
