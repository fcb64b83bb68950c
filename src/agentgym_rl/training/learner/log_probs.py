"""Log-probabilities and entropies of the tokens of a micro-batch, under the distributions they were drawn from."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from agentgym_rl.agents.models.head import candidate_logits, vocabulary_logits
from agentgym_rl.agents.models.tree_attention import AttentionPlan, make_plan, smallest_window
from agentgym_rl.training.batching.micro_batch import Wanted
from agentgym_rl.training.batching.tree import TokenTree

_CHUNK = 128
"""Rows of full-vocabulary logits at once; their gradients are recomputed, so this bounds memory."""

Pair = tuple[int, int, tuple[int, ...]]
"""A token's distribution and choice: row of the state before it, its id, the ids it was drawn among (empty: all)."""


def hidden_states(model: Any, tree: TokenTree) -> Tensor:
    """Last hidden states ``[tokens of the tree, hidden]``."""
    device = model.device
    plan = AttentionPlan(make_plan(tree.runs, device, smallest_window(model.config)))
    output = model.get_decoder()(
        input_ids=torch.tensor([tree.token_ids], device=device),
        position_ids=torch.tensor([tree.positions], device=device),
        attention_plan=plan,
        use_cache=False,
    )
    hidden: Tensor = output.last_hidden_state[0]
    return hidden


def token_log_probs(
    model: Any, hidden: Tensor, wanted: Wanted, *, temperature: float, shape: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """fp32 log-probs (natural log) and entropies (nats) of ``shape`` [episodes, tokens], 0 where not wanted.

    ``hidden`` are the states of the tree's rows. The distribution of a token is the one it was drawn from: restricted to the
    kept ids, at ``temperature``.
    """
    device = hidden.device
    pairs: dict[Pair, int] = {}
    index = [
        pairs.setdefault((parent, token, tuple(kept or ())), len(pairs))
        for parent, token, kept in zip(wanted.parents, wanted.ids, wanted.kept, strict=True)
    ]
    restricted = [pair for pair in pairs if pair[2]]
    free = [pair for pair in pairs if not pair[2]]
    parts = [_restricted(model, hidden, restricted, temperature)] if restricted else []
    for start in range(0, len(free), _CHUNK):
        chunk = free[start : start + _CHUNK]
        parents = torch.tensor([parent for parent, _, _ in chunk], device=device)
        tokens = torch.tensor([token for _, token, _ in chunk], device=device)
        parts.append(checkpoint(_unrestricted, model, hidden[parents], tokens, temperature, use_reentrant=False))
    empty = hidden.new_zeros(shape, dtype=torch.float32)
    if not parts:
        return empty, empty
    place = {pairs[pair]: position for position, pair in enumerate([*restricted, *free])}
    order = torch.tensor([place[number] for number in index], device=device)
    places = torch.tensor(wanted.rows, device=device), torch.tensor(wanted.tokens, device=device)
    values, entropies = (torch.cat(part)[order] for part in zip(*parts, strict=True))
    return empty.index_put(places, values), empty.index_put(places, entropies)


def _restricted(model: Any, hidden: Tensor, keys: list[Pair], temperature: float) -> tuple[Tensor, Tensor]:
    width = max(len(kept) for _, _, kept in keys)
    device = hidden.device
    candidates = torch.tensor([[*kept, *([kept[-1]] * (width - len(kept)))] for _, _, kept in keys], device=device)
    counts = torch.tensor([len(kept) for _, _, kept in keys], device=device)
    chosen = torch.tensor([kept.index(token) for _, token, kept in keys], device=device)
    parents = torch.tensor([parent for parent, _, _ in keys], device=device)
    logits = candidate_logits(model, hidden[parents], candidates) / temperature
    padding = torch.arange(width, device=device) >= counts[:, None]
    log_softmax = logits.masked_fill(padding, -torch.inf).log_softmax(-1).masked_fill(padding, 0.0)
    probabilities = log_softmax.exp().masked_fill(padding, 0.0)
    return log_softmax.gather(1, chosen[:, None])[:, 0], -(probabilities * log_softmax).sum(-1)


def _unrestricted(model: Any, hidden: Tensor, tokens: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    log_softmax = (vocabulary_logits(model, hidden) / temperature).log_softmax(-1)
    return log_softmax.gather(1, tokens[:, None])[:, 0], -(log_softmax.exp() * log_softmax).sum(-1)
