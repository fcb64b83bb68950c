"""The nested sections of ``algorithm``. A field that is null takes the value of the preset. No torch here."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agentgym_rl.config.settings import Settings

Aggregation = Literal["token_mean", "episode_mean", "fixed_length"]
KlEstimator = Literal["k1", "k2", "k3"]
Placement = Literal["loss", "reward"]


class AdvantageSettings(Settings):
    """Which estimator, and what it is told. Each estimator takes some of these keys; the others are refused."""

    estimator: str | None = None
    """``gae turn_gae grpo dr_grpo rloo reinforce reinforce_pp reinforce_pp_baseline remax gigpo``, or a registered one."""
    gamma: float | None = None
    """Discount between turns; for ``gae`` between action tokens."""
    turn_gamma: float | None = None
    """``gae``: further discount where a turn ends."""
    lam: float | None = None
    """``gae``, ``turn_gae``: 1 is Monte-Carlo, lower trusts the critic more."""
    whiten: bool | None = None
    """``gae``, ``turn_gae``: bring the advantages of the batch to mean 0 and standard deviation 1."""
    bootstrap: bool | None = None
    """``gae``, ``turn_gae``: episodes cut by horizon or context count on the critic's last value."""
    epsilon: float | None = None
    """Added to the standard deviation (``grpo``, ``gigpo``) or variance (``reinforce_pp``) that is divided by."""
    baseline: Literal["batch", "running", "none"] | None = None
    """``reinforce``: the mean return of the batch, of earlier steps, or nothing."""
    step_weight: float | None = None
    """``gigpo``: weight of the turn-level part."""
    normalise: bool | None = None
    """``gigpo``: divide by the standard deviation of what is compared."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What a registered estimator can be told besides the keys here."""


class LossSettings(Settings):
    """The policy loss and how tokens are summed up."""

    policy: str | None = None
    """``ppo_clip``, ``gspo`` (one ratio an episode), ``cispo`` (clipped weights), ``policy_gradient`` (no ratio), or a registered
    one."""
    clip_low: float | None = Field(default=None, ge=0, le=1)
    """The ratio is clipped below at 1 - clip_low."""
    clip_high: float | None = Field(default=None, ge=0)
    """... and above at 1 + clip_high."""
    dual_clip: Annotated[float, Field(gt=1)] | Literal[False] | None = None
    """``ppo_clip``: the loss of a token with negative advantage is at most so many times its size. false: off."""
    aggregation: Aggregation | None = None
    """``token_mean``, ``episode_mean`` or ``fixed_length``."""
    fixed_length: float | None = Field(default=None, gt=0)
    """``fixed_length``: the sum over tokens is divided by episodes times this; about the sampled tokens of an episode."""


class FixedKlSettings(Settings):
    """The coefficient stays as it is."""

    kind: Literal["fixed"] = "fixed"


class AdaptiveKlSettings(Settings):
    """The coefficient is steered so that the KL stays near a target."""

    kind: Literal["adaptive"] = "adaptive"
    target: float = Field(gt=0)
    """Mean KL a token, in nats."""
    window: int = Field(default=10000, ge=1)
    """Episodes over which the coefficient may change by 20 %."""


KlControllerSettings = Annotated[FixedKlSettings | AdaptiveKlSettings, Field(discriminator="kind")]


class KlSettings(Settings):
    """KL divergence from the model training started from. The reference is only loaded with a coefficient above 0."""

    coefficient: float = Field(default=0.0, ge=0)
    """0: no KL term and no reference, in every preset. The published AgentGym-RL runs use 0.001."""
    estimator: KlEstimator | None = None
    """``k1``, ``k2`` or ``k3``."""
    placement: Placement | None = None
    """``loss``: a term of the loss. ``reward``: taken off the reward of each sampled token."""
    controller: KlControllerSettings | None = None
    """``{kind: fixed}``, or ``{kind: adaptive, target: ...}``; null: fixed."""


class CorrectionSettings(Settings):
    """Importance weights for the gap between the engine that sampled and the learner. Off unless this section is given."""

    kind: Literal["truncate", "mask"] = "truncate"
    """``truncate``: weights above ``cap`` become ``cap``. ``mask``: tokens outside ``floor`` to ``cap`` are left out."""
    level: Literal["token", "sequence"] = "token"
    """A weight for each token, or the product over the episode."""
    cap: float = Field(default=2.0, ge=1)
    floor: float | None = Field(default=None, ge=0, le=1)
    """``mask`` only; null: 0."""


class DynamicSamplingSettings(Settings):
    """Groups without variance are replaced by new draws."""

    max_redraws: int = Field(default=3, ge=1)
    """Most new draws for each group of a step; after that the step takes what it has."""


class OverlongSettings(Settings):
    """A soft penalty for episodes close to their limit."""

    unit: Literal["turns", "tokens"] = "turns"
    """What is counted: turns, or tokens of the model's messages."""
    limit: int | None = Field(default=None, ge=1)
    """Where the penalty is full. null, for turns: the horizon of the step."""
    buffer: int = Field(ge=1)
    """The penalty starts so many turns (tokens) before the limit."""
    penalty: float = Field(default=1.0, gt=0)
    """Taken off the reward at the limit."""


class CriticSettings(Settings):
    """The value function of ``gae`` and ``turn_gae``."""

    kind: Literal["head", "model"] = "head"
    """``head``: on the policy's last hidden states, whose gradient stops there. ``model``: a network of its own."""
    learning_rate: float = Field(default=1e-5, gt=0)
    warmup_steps: int = Field(default=0, ge=0)
    """First steps in which only the critic learns."""
    clip: float | None = Field(default=0.2, gt=0)
    """Values may move so far from the old ones before their loss is the clipped one; null: no clipping."""
