"""The observation as text: what is in sight, walls, what is right in front, what is carried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym_rl.environments.babyai.simulation import Simulation, door_state, name
from agentgym_rl.environments.babyai.view import Seen


def describe_view(simulation: Simulation, in_sight: Sequence[Seen], walls: Mapping[str, int]) -> str:
    """Three short lines (small models read them): things nearest first, walls, front and hand."""
    listed = "; ".join(_thing(seen) for seen in in_sight) or "nothing"
    lines = [f"In sight: {listed}."]
    if walls:
        lines.append(
            "Walls: " + ", ".join(f"{walls[side]} {side}" for side in ("ahead", "left", "right") if side in walls) + "."
        )
    carried = name(simulation.carrying) if simulation.carrying else "nothing"
    lines.append(f"In front: {_front(simulation, in_sight)}. Carrying: {carried}.")
    return "\n".join(lines)


def _thing(seen: Seen) -> str:
    state = f" ({door_state(seen.thing)})" if seen.thing.type == "door" else ""
    place = []
    if seen.ahead:
        place.append(f"{seen.ahead} ahead")
    if seen.right:
        place.append(f"{abs(seen.right)} {'right' if seen.right > 0 else 'left'}")
    return f"{seen.label}{state}: {', '.join(place)}"


def _front(simulation: Simulation, in_sight: Sequence[Seen]) -> str:
    thing = simulation.cells[simulation.front]
    if thing is None:
        return "nothing"
    return next((seen.label for seen in in_sight if seen.cell == simulation.front), "wall")
