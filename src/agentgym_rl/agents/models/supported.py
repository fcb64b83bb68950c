"""Whether a model gives the same with packed token trees as alone: found out by trying, since layers can be anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from agentgym_rl.agents.models import tree_attention
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.models.head import vocabulary_logits

_SHARED, _FIRST, _SECOND = 5, 12, 7
"""Tokens of a prefix and of two branches from it."""
_TOLERANCE = 3e-4
"""Of the largest logit; fp32 stays below a tenth of it."""


@torch.no_grad()
def use_tree_attention(model: Any, name: str) -> None:
    """Put the tree attention into ``model`` (fp32, just loaded), and check that nothing of what it computes changes.

    Raises:
        ModelError: some layer is no plain causal attention (recurrent, convolutional, ALiBi, sinks, chunks, soft-capped).
    """
    config = model.config.get_text_config()
    ids = torch.arange(_SHARED + _FIRST + _SECOND, device=model.device) % config.vocab_size
    first = ids[: _SHARED + _FIRST]
    second = torch.cat([ids[:_SHARED], ids[_SHARED + _FIRST :]])
    try:
        alone = [model(input_ids=some[None], use_cache=False).logits[0].float() for some in (first, second)]
        model.set_attn_implementation(tree_attention.NAME)
        together = _packed(model, ids)
    except (AttributeError, TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        raise ModelError(_unsupported(name, model, (str(error).splitlines() or [type(error).__name__])[0])) from error
    wanted = torch.cat([alone[0], alone[1][_SHARED:]])
    gap = float((together - wanted).abs().max() / wanted.abs().max())
    if not gap < _TOLERANCE:
        raise ModelError(_unsupported(name, model, f"logits differ by {gap:.2g} of the largest one"))
    if getattr(config, "attention_chunk_size", None):
        raise ModelError(_unsupported(name, model, "it attends in chunks"))


def _packed(model: Any, ids: Tensor) -> Tensor:
    """Logits of both branches in one row."""
    device = ids.device
    slots = np.arange(len(ids), dtype=np.int64)
    fork = _SHARED + _FIRST
    runs = [
        tree_attention.Run(0, slots[:0], slots[:fork]),
        tree_attention.Run(fork, slots[:_SHARED], slots[fork:]),
    ]
    window = tree_attention.smallest_window(model.config)
    positions = torch.tensor([*range(fork), *range(_SHARED, _SHARED + _SECOND)], device=device)
    hidden = model.get_decoder()(
        input_ids=ids[None],
        position_ids=positions[None],
        attention_plan=tree_attention.AttentionPlan(tree_attention.make_plan(runs, device, window)),
        use_cache=False,
    ).last_hidden_state[0]
    return vocabulary_logits(model, hidden)


def _unsupported(name: str, model: Any, why: str) -> str:
    return (
        f"model.path={name}: a {model.config.model_type} model computes otherwise when episodes share a pass ({why}); "
        "take a decoder with plain causal attention, e.g. Llama, Qwen2, Qwen3, Mistral, Gemma 3, SmolLM"
    )
