"""How the losses of tokens become one number."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

Aggregation = Literal["token_mean", "episode_mean", "fixed_length"]


def aggregation_weights(mode: Aggregation, mask: Tensor, fixed_length: float | None = None) -> Tensor:
    """Weights [episodes, tokens] such that the loss is ``(weights * per_token).sum()``.

    Compute them once for an optimizer mini-batch and slice them with it: the sum over micro-batches is then the loss of the
    mini-batch however it is cut.

    Args:
        mode: ``token_mean``: every token of the mini-batch weighs the same. ``episode_mean``: every episode weighs the same,
            and inside it every token. ``fixed_length``: every token weighs ``1 / (episodes * fixed_length)``, whatever the
            lengths of the others.
        mask: [episodes, tokens] bool of the *whole* mini-batch. Rows without a token are no episodes.
        fixed_length: the constant of ``fixed_length``, in tokens.

    Raises:
        ValueError: ``fixed_length`` is missing or not above 0 where it is needed, or an unknown mode.
    """
    counts = mask.sum(1, keepdim=True).float()
    episodes = (counts > 0).sum().clamp(min=1)
    match mode:
        case "token_mean":
            weight = 1.0 / counts.sum().clamp(min=1)
        case "episode_mean":
            weight = 1.0 / (episodes * counts.clamp(min=1))
        case "fixed_length":
            if fixed_length is None or fixed_length <= 0:
                raise ValueError(f"fixed_length={fixed_length}: aggregation fixed_length needs a number of tokens above 0")
            weight = 1.0 / (episodes * fixed_length)
        case _:
            raise ValueError(f"unknown aggregation {mode!r}: there are token_mean, episode_mean, fixed_length")
    return torch.where(mask, weight, 0.0)
