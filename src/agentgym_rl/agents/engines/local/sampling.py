"""Drawing a token: restriction, temperature, top-k, top-p, in this order."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agentgym_rl.agents.engines.protocol import Sampling


@dataclass(frozen=True, slots=True)
class Draw:
    """One drawn token."""

    token: int
    log_prob: float
    """Natural log under the distribution it was drawn from."""
    kept: list[int] | None
    """The ids it was drawn among; None: the whole vocabulary."""


def draw(logits: Tensor, candidates: Tensor | None, sampling: Sampling, number: float) -> Draw:
    """Draw from fp32 ``logits`` ``[k]`` of the ids ``candidates`` ``[k]`` (None: id = position) with ``number`` in [0, 1).

    Temperature 0 takes the largest logit (the first of equals) with log-probability 0.
    """
    if sampling.temperature == 0:
        best = int(logits.argmax())
        token = best if candidates is None else int(candidates[best])
        return Draw(token, 0.0, [token])
    scaled = logits / sampling.temperature
    keep = kept_by(scaled, sampling)
    if keep is not None:
        scaled = scaled[keep]
        candidates = keep if candidates is None else candidates[keep]
    log_probs = scaled.log_softmax(-1)
    cumulative = log_probs.double().exp().cumsum(-1)
    position = int(torch.searchsorted(cumulative, number * float(cumulative[-1]), right=True).clamp_(max=len(scaled) - 1))
    token = position if candidates is None else int(candidates[position])
    return Draw(token, float(log_probs[position]), None if candidates is None else candidates.tolist())


def kept_by(scaled: Tensor, sampling: Sampling) -> Tensor | None:
    """Ascending positions that top-k, then top-p keep of scaled logits ``[k]``; None when neither cuts anything.

    Top-p keeps the smallest set of likeliest tokens whose probability reaches ``top_p``.
    """
    count = len(scaled)
    limit = min(sampling.top_k or count, count)
    if limit == count and sampling.top_p >= 1:
        return None
    values, order = scaled.sort(descending=True, stable=True)
    values, order = values[:limit], order[:limit]
    if sampling.top_p < 1:
        probabilities = values.softmax(-1)
        order = order[: int((probabilities.cumsum(-1) - probabilities < sampling.top_p).sum())]
    return None if len(order) == count else order.sort().values
