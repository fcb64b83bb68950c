"""From what the oracle intends to the high-level action that brings it nearest."""

from __future__ import annotations

from agentgym_rl.environments.babyai.actions import Moves
from agentgym_rl.environments.babyai.episode import Episode
from agentgym_rl.environments.babyai.expert.plan import Planner
from agentgym_rl.environments.babyai.expert.search import distances
from agentgym_rl.environments.babyai.simulation import DROP, FORWARD, LEFT, PICK_UP, RIGHT, TOGGLE, Simulation

AT_A_LOSS = "turn left"
"""What the oracle does where it knows no way (the mission can't be done any more): always possible, harms nothing."""


def next_action(episode: Episode) -> str:
    """The oracle's next action.

    Each action either does what is intended or brings the agent nearer to it, in moves; among those the nearest. So it
    can't walk in circles: it has no loop that is not bounded by the grid.
    """
    simulation, state = episode.simulation, episode.state
    intent = Planner(simulation).intent()
    if intent is None:
        return AT_A_LOSS
    moves = state.options.moves
    cell_of = {seen.label: seen.cell for seen in state.in_sight}
    finishing = {PICK_UP: "pick up ", TOGGLE: "toggle and go through "}.get(-1 if intent.move is None else intent.move)
    if finishing:
        ways = [a for a in moves if a.startswith(finishing) and cell_of[a.removeprefix(finishing)] in intent.cells]
        if ways:
            return min(ways, key=lambda action: len(moves[action]))
    if intent.move in (TOGGLE, DROP) and simulation.front in intent.cells:
        return "toggle" if intent.move == TOGGLE else "drop"
    togo = distances(simulation, intent.cells)
    here = simulation.agent * 4 + simulation.direction
    best, nearest = AT_A_LOSS, togo.get(here, 0)
    for action, primitives in moves.items():
        if action.startswith("pick up") or action in ("toggle", "drop"):
            continue
        left = togo.get(_end(simulation, primitives), nearest)
        if left < nearest:
            best, nearest = action, left
    return best


def _end(simulation: Simulation, primitives: Moves) -> int:
    """The agent's cell × 4 + direction after moves that all succeed."""
    cell, direction = simulation.agent, simulation.direction
    for move in primitives:
        if move == LEFT:
            direction = (direction - 1) % 4
        elif move == RIGHT:
            direction = (direction + 1) % 4
        elif move == FORWARD:
            cell += simulation.steps[direction]
    return cell * 4 + direction
