"""Environments whose actions, observations and returns are known here: defaults for their settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.adapters.gymnasium import toy_text
from agentgym_rl.environments.adapters.gymnasium.scoring import Success


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an environment, whatever its version; None: as for any other."""

    instructions: str | None = None
    actions: tuple[str, ...] | None = None
    describe: Callable[[Any, Any], str] | None = None
    """From the environment (unwrapped) and an observation to a text."""
    labels: tuple[str, ...] = ()
    """Names of the numbers of an observation."""
    returns: tuple[float, float] | None = None
    success: Success | None = None
    observation_is_state: bool = False


_LAKE = Known(
    "Cross the frozen lake on the map to the goal G. F is ice, S the start, H a hole that ends the game, @ is you. The ice may "
    "be slippery: then you can slide to a side of where you go.",
    ("left", "down", "right", "up"),
    toy_text.frozen_lake,
    returns=(0.0, 1.0),
    success=1.0,
    observation_is_state=True,
)
_CLIFF = Known(
    "Walk from S to the goal G on the map in few moves. C is a cliff: who steps there is put back to S. @ is you.",
    ("up", "right", "down", "left"),
    toy_text.cliff_walking,
    returns=(-100.0, -13.0),
    success="terminated",
    observation_is_state=True,
)

KNOWN: dict[str, Known] = {
    "FrozenLake": _LAKE,
    "FrozenLake8x8": _LAKE,
    "CliffWalking": _CLIFF,
    "CliffWalkingSlippery": _CLIFF,
    "Taxi": Known(
        "Drive the taxi T to the passenger, pick up, drive to the destination and drop off there, in few moves. On the map | is "
        "a wall and : is none; R, G, Y and B are the stands. Row 0 is in the north, column 0 in the west.",
        ("south", "north", "east", "west", "pick up", "drop off"),
        toy_text.taxi,
        returns=(-200.0, 20.0),
        success="terminated",
        observation_is_state=True,
    ),
    "Blackjack": Known(
        "Play a hand of blackjack: come closer to 21 than the dealer without going over.",
        ("stick", "hit"),
        toy_text.blackjack,
        returns=(-1.0, 1.0),
        success="positive",
    ),
    "CartPole": Known(
        "Push the cart so that the pole on it stays upright.",
        ("left", "right"),
        labels=("cart position", "cart velocity", "pole angle", "pole angular velocity"),
        observation_is_state=True,
    ),
    "MountainCar": Known(
        "Drive the car up the right hill; its motor is too weak, so swing.",
        ("left", "coast", "right"),
        labels=("position", "velocity"),
        success="terminated",
        observation_is_state=True,
    ),
    "Acrobot": Known(
        "Swing the free end of the two-link arm above the line by turning its middle joint.",
        ("negative torque", "no torque", "positive torque"),
        labels=("cos angle 1", "sin angle 1", "cos angle 2", "sin angle 2", "velocity 1", "velocity 2"),
        success="terminated",
        observation_is_state=True,
    ),
}
"""By the name in the registration."""
