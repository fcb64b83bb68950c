"""From hidden states to logits: of the whole vocabulary, or of a few candidates without the rest."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def vocabulary_logits(model: Any, hidden: Tensor) -> Tensor:
    """fp32 logits ``[n, vocabulary]`` of hidden states ``[n, hidden]``."""
    return _finish(model, model.get_output_embeddings()(hidden).float())


def candidate_logits(model: Any, hidden: Tensor, candidates: Tensor) -> Tensor:
    """fp32 logits ``[n, k]`` of the token ids ``candidates`` ``[n, k]``: a few rows of the head instead of all of it."""
    head = model.get_output_embeddings()
    logits = torch.einsum("nh,nkh->nk", hidden.float(), head.weight[candidates].float())
    if getattr(head, "bias", None) is not None:
        logits = logits + head.bias[candidates].float()
    return _finish(model, logits)


def _finish(model: Any, logits: Tensor) -> Tensor:
    """What some models do behind the head: Cohere and Granite scale, Gemma 2 caps."""
    config = model.config
    scale = (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)
    if scale != 1.0:
        logits = logits * scale
    cap = getattr(config, "final_logit_softcapping", None)
    return logits if cap is None else torch.tanh(logits / cap) * cap
