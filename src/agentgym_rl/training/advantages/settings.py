"""What each estimator can be told, and what the rest of a run must know of it. No torch here."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Estimator:
    """What a run must know of an estimator. Nothing outside asks for an estimator's name."""

    settings: type[Settings]
    """What it can be told. With a setting ``baseline`` that is ``running`` it reads the mean return of earlier steps."""
    values_at: Literal["tokens", "turns"] | None = None
    """It reads ``values`` there: of every action token, or of the first of each turn. A critic is trained on them."""
    compares_groups: bool = False
    """Episodes are compared with those of their group: groups of one teach nothing."""
    needs_states: bool = False
    """It reads ``states``: worlds must tell their ``state_key``."""
    needs_greedy: bool = False
    """It reads ``baselines`` that are the return of a greedy episode of each draw."""
    one_advantage: bool = False
    """All action tokens of an episode get the same number."""


ESTIMATORS: dict[str, Estimator] = {
    "gae": Estimator(GaeSettings, values_at="tokens"),
    "turn_gae": Estimator(TurnGaeSettings, values_at="turns"),
    "grpo": Estimator(GrpoSettings, compares_groups=True, one_advantage=True),
    "dr_grpo": Estimator(DrGrpoSettings, compares_groups=True, one_advantage=True),
    "rloo": Estimator(RlooSettings, compares_groups=True, one_advantage=True),
    "reinforce": Estimator(ReinforceSettings),
    "reinforce_pp": Estimator(ReinforcePlusPlusSettings),
    "reinforce_pp_baseline": Estimator(ReinforcePlusPlusBaselineSettings, compares_groups=True, one_advantage=True),
    "remax": Estimator(RemaxSettings, needs_greedy=True, one_advantage=True),
    "gigpo": Estimator(GigpoSettings, compares_groups=True, needs_states=True),
}
"""The estimators by name."""
