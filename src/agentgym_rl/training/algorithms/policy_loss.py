"""The whole loss of the policy: clipped surrogate, correction, KL, entropy, forced tokens."""

from __future__ import annotations

import torch
from torch import Tensor

from agentgym_rl.training.algorithms.policies import POLICY_LOSSES
from agentgym_rl.training.algorithms.recipe import Recipe
from agentgym_rl.training.losses.correction import correction_weights, mismatch_metrics
from agentgym_rl.training.losses.forced import forced_likelihood
from agentgym_rl.training.losses.inputs import LossInputs, LossOutput, Tally
from agentgym_rl.training.losses.kl import kl_per_token
from agentgym_rl.training.losses.masked import masked, tally
from agentgym_rl.training.losses.registry import policy_function


def policy_loss(recipe: Recipe, inputs: LossInputs, kl_coefficient: float) -> LossOutput:
    """``sum(weights * (policy + kl_coefficient * kl - entropy_coefficient * entropy)) + forced_tokens * forced``.

    Raises:
        ValueError: a tensor that the recipe needs is None.
    """
    mask = inputs.mask
    weights = torch.where(mask, inputs.weights, 0.0)
    bounds = {name: getattr(recipe.loss, name) for name in POLICY_LOSSES[recipe.loss.policy].clips}
    policy = policy_function(recipe.loss.policy)(inputs, **bounds)
    losses, metrics = policy.losses, dict(policy.metrics)
    if recipe.correction is not None:
        losses = losses * _correction(recipe, inputs, metrics)
    terms = {"loss/policy": (weights * losses).sum()}
    if inputs.engine_log_probs is not None:
        metrics |= mismatch_metrics(inputs.old_log_probs, inputs.engine_log_probs, mask)
    if recipe.kl.coefficient > 0:
        reference = _needed(inputs.reference_log_probs, "reference_log_probs", "algorithm.kl.coefficient")
        kl = kl_per_token(inputs.log_probs, reference, mask, recipe.kl.estimator)
        metrics["kl/reference"] = tally(kl, mask)
        if recipe.kl.placement == "loss":
            terms["loss/kl"] = kl_coefficient * (weights * kl).sum()
    if inputs.entropy is not None:
        metrics["entropy"] = tally(inputs.entropy, mask)
    if recipe.entropy_coefficient > 0:
        entropy = masked(_needed(inputs.entropy, "entropy", "algorithm.entropy_coefficient"), mask)
        terms["loss/entropy"] = -recipe.entropy_coefficient * (weights * entropy).sum()
    if recipe.forced_tokens > 0:
        terms["loss/forced"] = recipe.forced_tokens * forced_likelihood(
            _needed(inputs.forced_log_probs, "forced_log_probs", "algorithm.forced_tokens"),
            _needed(inputs.forced_mask, "forced_mask", "algorithm.forced_tokens"),
            _needed(inputs.forced_weights, "forced_weights", "algorithm.forced_tokens"),
        )
    loss = torch.stack(list(terms.values())).sum()
    return LossOutput(loss, {name: term.detach() for name, term in terms.items()}, metrics)


def _correction(recipe: Recipe, inputs: LossInputs, metrics: dict[str, Tally]) -> Tensor:
    assert recipe.correction is not None
    engine = _needed(inputs.engine_log_probs, "engine_log_probs", "algorithm.correction")
    factors = correction_weights(
        inputs.old_log_probs,
        engine,
        inputs.mask,
        kind=recipe.correction.kind,
        level=recipe.correction.level,
        cap=recipe.correction.cap,
        floor=recipe.correction.floor or 0.0,
    )
    metrics["ratio/correction"] = tally(factors, inputs.mask)
    return factors


def _needed(tensor: Tensor | None, name: str, setting: str) -> Tensor:
    if tensor is None:
        raise ValueError(f"{setting} is set, but the loss got no {name}")
    return tensor
