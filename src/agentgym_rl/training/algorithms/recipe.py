"""What an algorithm is made of, every field filled in. No torch here."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym_rl.config.settings import Settings
from agentgym_rl.training.algorithms.sections import (
    AdvantageSettings,
    Aggregation,
    CorrectionSettings,
    CriticSettings,
    DynamicSamplingSettings,
    FixedKlSettings,
    KlControllerSettings,
    KlEstimator,
    OverlongSettings,
    Placement,
)


@dataclass(frozen=True, slots=True)
class LossRecipe:
    """The policy loss; None where the policy has no such bound."""

    policy: str = "ppo_clip"
    clip_low: float | None = None
    clip_high: float | None = None
    dual_clip: float | None = None
    aggregation: Aggregation = "token_mean"
    fixed_length: float | None = None


@dataclass(frozen=True, slots=True)
class KlRecipe:
    """The KL term."""

    coefficient: float = 0.0
    estimator: KlEstimator = "k3"
    placement: Placement = "loss"
    controller: KlControllerSettings = field(default_factory=FixedKlSettings)

    def describe(self) -> dict[str, Any]:
        """As a ``kl`` section; without a coefficient nothing else applies."""
        if not self.coefficient:
            return {"coefficient": 0.0}
        return {**asdict(self), "controller": self.controller.model_dump()}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A preset, or what a preset and the user's overrides resolved to."""

    name: str
    estimator: str
    advantage: Settings
    """The settings of the estimator."""
    loss: LossRecipe
    kl: KlRecipe = KlRecipe()
    entropy_coefficient: float = 0.0
    correction: CorrectionSettings | None = None
    dynamic_sampling: DynamicSamplingSettings | None = None
    overlong: OverlongSettings | None = None
    critic: CriticSettings | None = None
    forced_tokens: float = 0.0

    def _advantage(self) -> dict[str, Any]:
        """The estimator's settings; those without a key of their own as ``options``."""
        values = self.advantage.model_dump()
        options = {key: value for key, value in values.items() if key not in AdvantageSettings.model_fields}
        named = {key: value for key, value in values.items() if key not in options}
        return {**named, **({"options": options} if options else {})}

    def describe(self) -> dict[str, Any]:
        """Plain nested data that is a valid ``algorithm`` section and resolves to this recipe again."""
        return {
            "name": self.name,
            "advantage": {"estimator": self.estimator, **self._advantage()},
            "loss": {key: value for key, value in asdict(self.loss).items() if value is not None},
            "kl": self.kl.describe(),
            "entropy_coefficient": self.entropy_coefficient,
            "correction": self.correction.model_dump() if self.correction else None,
            "dynamic_sampling": self.dynamic_sampling.model_dump() if self.dynamic_sampling else False,
            "overlong": self.overlong.model_dump() if self.overlong else None,
            "critic": self.critic.model_dump() if self.critic else False,
            "forced_tokens": self.forced_tokens,
        }
