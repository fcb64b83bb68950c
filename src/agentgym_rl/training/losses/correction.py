"""Correction for the gap between the engine that sampled and the learner that trains.

Truncated importance sampling (Yao et al. 2025, https://fengyao.notion.site/off-policy-rl) and its masked form.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from agentgym_rl.training.losses.inputs import Tally
from agentgym_rl.training.losses.masked import log_ratio, masked, tally


def correction_weights(
    old_log_probs: Tensor,
    engine_log_probs: Tensor,
    mask: Tensor,
    *,
    kind: Literal["truncate", "mask"],
    level: Literal["token", "sequence"],
    cap: float,
    floor: float = 0.0,
) -> Tensor:
    """Factors [episodes, tokens] for the policy loss, without gradient; zero outside the mask.

    ``w = exp(old_log_probs - engine_log_probs)`` of the token, or the product over the sampled tokens of the episode.
    ``truncate``: ``min(w, cap)``. ``mask``: ``w`` where ``floor <= w <= cap``, else 0.
    """
    gap = log_ratio(old_log_probs.detach(), engine_log_probs, mask)
    if level == "sequence":
        gap = gap.sum(1, keepdim=True).clamp(-20, 20).expand_as(gap)
    weights = gap.exp()
    weights = (
        weights.clamp(max=cap) if kind == "truncate" else torch.where((weights >= floor) & (weights <= cap), weights, 0.0)
    )
    return masked(weights, mask)


def mismatch_metrics(old_log_probs: Tensor, engine_log_probs: Tensor, mask: Tensor) -> dict[str, Tally]:
    """``kl/rollout``: KL(engine || learner) a token (k3 on the engine's samples). ``ratio/rollout``: mean raw ratio."""
    gap = log_ratio(old_log_probs.detach(), engine_log_probs, mask)
    ratio = gap.exp()
    return {"kl/rollout": tally(ratio - 1 - gap, mask), "ratio/rollout": tally(ratio, mask)}
