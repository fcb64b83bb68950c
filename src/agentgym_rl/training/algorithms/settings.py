"""Settings of the ``algorithm`` section. No torch here."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from agentgym_rl.config.settings import Settings
from agentgym_rl.training.algorithms.overrides import combine
from agentgym_rl.training.algorithms.sections import (
    AdvantageSettings,
    CorrectionSettings,
    CriticSettings,
    DynamicSamplingSettings,
    KlSettings,
    LossSettings,
    OverlongSettings,
)


class AlgorithmSettings(Settings):
    """A preset by name; its fields may be overridden one by one.

    ``agentgym-rl train ... --dry-run`` prints what name and overrides resolve to. Overrides that contradict each other, or
    would do nothing, are errors.
    """

    name: str = "grpo"
    """``ppo turn_ppo grpo dr_grpo dapo gspo cispo rloo reinforce reinforce_pp remax gigpo``, or ``package.module:RECIPE``."""
    advantage: AdvantageSettings = AdvantageSettings()
    loss: LossSettings = LossSettings()
    kl: KlSettings = KlSettings()
    entropy_coefficient: float = Field(default=0.0, ge=0)
    """Bonus on the mean entropy of the sampled tokens."""
    correction: CorrectionSettings | None = None
    """Importance correction for the gap between engine and learner; null: none."""
    dynamic_sampling: DynamicSamplingSettings | Literal[False] | None = None
    """Redraw groups without variance; null: as the preset, false: never."""
    overlong: OverlongSettings | None = None
    """Penalty near the limit of turns or tokens; null: none."""
    critic: CriticSettings | Literal[False] | None = None
    """The value function; null: as the preset, false: none."""
    forced_tokens: float = Field(default=0.0, ge=0)
    """Coefficient of the likelihood of forced tokens in messages with a positive advantage; for admissible action spaces."""

    stop_on_collapse: bool = False
    """Stop where metrics say that the policy collapses (a page of the algorithms says which); false: warn only."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        combine(self)
        return self
