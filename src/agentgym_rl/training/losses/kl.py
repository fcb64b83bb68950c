"""Estimators of the KL divergence from a reference (Schulman 2020, http://joschu.net/blog/kl-approx.html)."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from agentgym_rl.training.losses.masked import log_ratio

KlEstimator = Literal["k1", "k2", "k3"]


def kl_per_token(log_probs: Tensor, reference_log_probs: Tensor, mask: Tensor, estimator: KlEstimator = "k3") -> Tensor:
    """Estimate of KL(policy || reference) at each sampled token, [episodes, tokens], zero outside the mask.

    With ``d = log_probs - reference_log_probs`` of the sampled token: ``k1 = d`` (unbiased, any sign), ``k2 = d ** 2 / 2``
    (biased, and its gradient is that of the KL), ``k3 = exp(-d) - 1 + d`` (unbiased, never negative).

    As a loss: the mean gradient of ``k1`` is zero, that of ``k2`` is the gradient of the KL, that of ``k3`` only near the
    reference. As a penalty inside the reward (subtract ``coefficient *`` this from the rewards, computed with the old
    log-probs) ``k1`` is the unbiased choice.
    """
    difference = log_ratio(log_probs, reference_log_probs, mask)
    match estimator:
        case "k1":
            return difference
        case "k2":
            return difference.square() / 2
        case "k3":
            return (-difference).exp() - 1 + difference
        case _:
            raise ValueError(f"unknown KL estimator {estimator!r}: there are k1, k2, k3")
