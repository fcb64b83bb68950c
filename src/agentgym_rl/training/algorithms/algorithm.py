"""A resolved algorithm: what the trainer asks and calls. It knows no algorithm by name; it follows the recipe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, Advantages, estimate
from agentgym_rl.training.advantages.settings import ESTIMATORS, Estimator
from agentgym_rl.training.algorithms.policies import POLICY_LOSSES
from agentgym_rl.training.algorithms.policy_loss import policy_loss
from agentgym_rl.training.algorithms.recipe import Recipe
from agentgym_rl.training.algorithms.sections import AdaptiveKlSettings
from agentgym_rl.training.losses import (
    AdaptiveKl,
    FixedKl,
    KlController,
    LossInputs,
    LossOutput,
    aggregation_weights,
    kl_per_token,
    overlong_penalty,
    value_losses,
)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Estimator and losses of a run.

    A step: :meth:`shape_rewards`, :meth:`estimate`; for each mini-batch :meth:`weights` once, then :meth:`policy_loss` (and
    :meth:`value_loss`) on slices of it.
    """

    recipe: Recipe

    @property
    def estimator(self) -> Estimator:
        """What is known of the recipe's estimator."""
        return ESTIMATORS[self.recipe.estimator]

    def describe(self) -> dict[str, Any]:
        """What name and overrides resolved to, in the shape of the ``algorithm`` section."""
        return self.recipe.describe()

    @property
    def needs_reference(self) -> bool:
        """Whether reference log-probs are read."""
        return self.recipe.kl.coefficient > 0

    @property
    def needs_critic(self) -> bool:
        """Whether values are read."""
        return self.estimator.values_at is not None

    @property
    def needs_greedy_baseline(self) -> bool:
        """Whether ``baselines`` must hold the return of a greedy episode for each draw."""
        return self.estimator.needs_greedy

    @property
    def needs_running_baseline(self) -> bool:
        """Whether ``baselines`` must hold the mean return of earlier steps."""
        return getattr(self.recipe.advantage, "baseline", None) == "running"

    @property
    def needs_states(self) -> bool:
        """Whether every turn must have a ``state_key``."""
        return self.estimator.needs_states

    @property
    def needs_entropy(self) -> bool:
        """Whether the entropy must carry a gradient."""
        return self.recipe.entropy_coefficient > 0

    @property
    def needs_forced_tokens(self) -> bool:
        """Whether unrestricted log-probs of forced tokens are read."""
        return self.recipe.forced_tokens > 0

    @property
    def skips_zero_advantage(self) -> bool:
        """Whether tokens with an advantage of zero may leave the mask, and their forward pass be spared.

        Not where another term of the loss counts them, nor where what the others get depends on them: a ratio or a
        correction over the whole episode, with advantages that differ inside it.
        """
        if self.needs_entropy or self.needs_critic or (self.needs_reference and self.recipe.kl.placement == "loss"):
            return False
        correction, loss = self.recipe.correction, POLICY_LOSSES[self.recipe.loss.policy]
        if loss.counts_zero_advantage:
            return False
        whole_episode = loss.whole_episode or (correction is not None and correction.level == "sequence")
        return not whole_episode or self.estimator.one_advantage

    def kl_controller(self) -> KlController:
        """A new holder of the KL coefficient, for the trainer's state."""
        controller = self.recipe.kl.controller
        if isinstance(controller, AdaptiveKlSettings):
            return AdaptiveKl(self.recipe.kl.coefficient, controller.target, controller.window)
        return FixedKl(self.recipe.kl.coefficient)

    def shape_rewards(
        self,
        inputs: AdvantageInputs,
        *,
        horizon: int | Tensor,
        sampled_mask: Tensor,
        log_probs: Tensor | None = None,
        reference_log_probs: Tensor | None = None,
        kl_coefficient: float | None = None,
    ) -> AdvantageInputs:
        """``inputs`` with what the recipe takes off the rewards: KL in the reward, overlong shaping.

        ``horizon``: of the step, or [episodes] where worlds have their own.
        ``log_probs``, ``reference_log_probs`` [episodes, tokens]: the learner's and the reference's, before the update.
        ``kl_coefficient``: the controller's; None: the recipe's.
        """
        valid = torch.ones_like(inputs.groups, dtype=torch.bool) if inputs.valid is None else inputs.valid.bool()
        rewards = torch.where(valid[:, None], inputs.rewards.float(), 0.0)
        kl = self.recipe.kl
        if self.needs_reference and kl.placement == "reward":
            if log_probs is None or reference_log_probs is None:
                raise ValueError("kl.placement=reward needs log_probs and reference_log_probs of the step's episodes")
            penalty = kl_per_token(log_probs, reference_log_probs, sampled_mask & valid[:, None], kl.estimator)
            rewards = rewards - (kl.coefficient if kl_coefficient is None else kl_coefficient) * penalty
        if self.recipe.overlong is not None:
            rewards = rewards - self._overlong(inputs, valid, horizon)
        return replace(inputs, rewards=rewards)

    def _overlong(self, inputs: AdvantageInputs, valid: Tensor, horizon: int | Tensor) -> Tensor:
        """[episodes, tokens]: the penalty of each episode on its last action token."""
        overlong = self.recipe.overlong
        assert overlong is not None
        mask = inputs.action_mask.bool() & valid[:, None]
        last = mask & (mask.flip(1).cumsum(1).flip(1) == 1)
        lengths = mask.sum(1) if overlong.unit == "tokens" else torch.where(mask, inputs.turns, -1).amax(1) + 1
        penalty = overlong_penalty(lengths, overlong.limit or horizon, overlong.buffer, overlong.penalty)
        return torch.where(last, penalty[:, None], 0.0)

    def estimate(self, inputs: AdvantageInputs) -> Advantages:
        """Advantages of the step's episodes."""
        return estimate(self.recipe.estimator, inputs, **self.recipe.advantage.model_dump())

    def value_mask(self, inputs: AdvantageInputs) -> Tensor:
        """[episodes, tokens] bool: the tokens whose values the estimator reads, so what the critic is trained on.

        Action tokens, forced ones included; of turn-level estimators the first of each turn.
        """
        mask = inputs.action_mask.bool()
        if inputs.valid is not None:
            mask = mask & inputs.valid.bool()[:, None]
        if self.estimator.values_at != "turns":
            return mask
        turns = torch.where(mask, inputs.turns, -1)
        earlier = torch.nn.functional.pad(turns.cummax(1).values[:, :-1], (1, 0), value=-1)
        return mask & (turns > earlier)

    def weights(self, mask: Tensor) -> Tensor:
        """Aggregation weights [episodes, tokens] of a whole mini-batch; ``mask``: its sampled tokens of valid episodes."""
        return aggregation_weights(self.recipe.loss.aggregation, mask, self.recipe.loss.fixed_length)

    def policy_loss(self, inputs: LossInputs, *, kl_coefficient: float | None = None) -> LossOutput:
        """Loss of the policy on a micro-batch. ``kl_coefficient``: the controller's; None: the recipe's."""
        return policy_loss(self.recipe, inputs, self.recipe.kl.coefficient if kl_coefficient is None else kl_coefficient)

    def value_loss(self, inputs: LossInputs) -> LossOutput:
        """Loss of the critic on a micro-batch."""
        if self.recipe.critic is None:
            raise ValueError(f"algorithm {self.recipe.name} has no critic")
        fields = (inputs.values, inputs.old_values, inputs.returns, inputs.value_mask, inputs.value_weights)
        values, old_values, returns, mask, weights = fields
        if values is None or old_values is None or returns is None or mask is None or weights is None:
            raise ValueError("the value loss needs values, old_values, returns, value_mask and value_weights")
        losses, metrics = value_losses(values, old_values, returns, mask, clip=self.recipe.critic.clip)
        loss = (torch.where(mask, weights, 0.0) * losses).sum()
        return LossOutput(loss, {"loss/value": loss.detach()}, metrics)
