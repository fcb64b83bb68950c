"""What each estimator can be told: one settings model an estimator, with its defaults. No torch here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agentgym_rl.config.settings import Settings


class GaeSettings(Settings):
    """Generalised advantage estimation over action tokens."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between action tokens."""
    lam: float = Field(default=1.0, ge=0, le=1)
    """1: Monte-Carlo returns; lower: trusts the critic more."""
    turn_gamma: float = Field(default=1.0, ge=0, le=1)
    """Further discount where a turn ends."""
    whiten: bool = False
    """Bring the advantages of the batch to mean 0 and standard deviation 1."""
    bootstrap: bool = False
    """Episodes cut by the horizon or the context count on the value of their last action token; else on nothing."""


class TurnGaeSettings(Settings):
    """Generalised advantage estimation over turns."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""
    lam: float = Field(default=0.95, ge=0, le=1)
    """1: Monte-Carlo returns; lower: trusts the critic more."""
    whiten: bool = False
    """Bring the advantages of the batch to mean 0 and standard deviation 1 over its turns."""
    bootstrap: bool = False
    """Episodes cut by the horizon or the context count on the value of their last turn; else on nothing."""


class GroupSettings(Settings):
    """Estimators that compare the returns of a group."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""


class GrpoSettings(GroupSettings):
    """Returns standardised inside their group."""

    epsilon: float = Field(default=1e-6, ge=0)
    """Added to the standard deviation of the group."""


class DrGrpoSettings(GroupSettings):
    """Returns minus the mean of their group."""


class RlooSettings(GroupSettings):
    """Returns minus the mean of the others of their group."""


class ReinforceSettings(Settings):
    """Return to go minus a baseline."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""
    baseline: Literal["batch", "running", "none"] = "batch"
    """``batch``: mean return of the batch. ``running``: the trainer's mean over earlier steps. ``none``."""


class ReinforcePlusPlusSettings(Settings):
    """Return to go, whitened over the batch."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""
    epsilon: float = Field(default=1e-8, ge=0)
    """Added to the variance of the batch."""


class ReinforcePlusPlusBaselineSettings(Settings):
    """Return minus the mean of its group, whitened over the batch."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""
    epsilon: float = Field(default=1e-8, ge=0)
    """Added to the variance of the batch."""


class RemaxSettings(Settings):
    """Return minus the return of the greedy episode of the same draw."""

    gamma: float = Field(default=1.0, ge=0, le=1)
    """Discount between turns."""


class GigpoSettings(Settings):
    """Group-relative returns of whole episodes and of turns taken in the same state."""

    gamma: float = Field(default=0.95, ge=0, le=1)
    """Discount between turns of the returns that turns in the same state are compared by."""
    step_weight: float = Field(default=1.0, ge=0)
    """Weight of the turn-level part."""
    normalise: bool = True
    """Divide both parts by the standard deviation of the group they compare."""
    epsilon: float = Field(default=1e-6, ge=0)
    """Added to the standard deviations."""


ESTIMATORS: dict[str, type[Settings]] = {
    "gae": GaeSettings,
    "turn_gae": TurnGaeSettings,
    "grpo": GrpoSettings,
    "dr_grpo": DrGrpoSettings,
    "rloo": RlooSettings,
    "reinforce": ReinforceSettings,
    "reinforce_pp": ReinforcePlusPlusSettings,
    "reinforce_pp_baseline": ReinforcePlusPlusBaselineSettings,
    "remax": RemaxSettings,
    "gigpo": GigpoSettings,
}
"""The settings of every estimator, by name."""
