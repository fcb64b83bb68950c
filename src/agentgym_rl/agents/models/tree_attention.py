"""Attention over packed token trees: one mechanism for sampling with a key-value pool and for training on packed groups.

Tokens of many episodes lie one after another in a single row without padding. A *run* is a chain of new tokens; each of
its tokens sees the run's ancestors (its *path*) and the tokens of the run before it. Runs whose paths overlap share a
*block*: one dense product of the block's queries with the union of its keys, where an additive bias hides what is not an
ancestor. Prefixes that episodes share are thus stored, computed and read once.

The plan reaches the layers through Transformers' attention interface, so any decoder that uses it works unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from transformers import AttentionInterface

NAME = "agentgym_tree"
_MAX_ROWS = 128
"""Longest piece of a run: a causal piece wastes half of its own square, so long ones are cut."""
_CALL_COST = 800
"""What a separate block costs, in score elements: small blocks are merged although some of their scores are masked."""

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Run:
    """A chain of new tokens. ``own`` are their key slots; ``path`` the slots of their ancestors, root first."""

    row: int
    """First row in the packed batch."""
    path: Keys
    own: Keys


@dataclass(slots=True)
class Block:
    """Queries ``rows`` against key slots ``keys``; ``mask`` [rows, keys] bool: True where the query sees the key."""

    rows: tuple[int, int]
    keys: Tensor
    span: tuple[int, int] | None
    """The slots as one range, where they are one: then no copy is needed."""
    mask: Tensor
    distance: Tensor | None
    """[rows, keys] int: how many tokens back a key lies, for layers with a sliding window; None when not needed."""
    bias: Tensor | None = None


@dataclass(slots=True)
class KeyValuePool:
    """Keys and values of every cached token."""

    layers: list[Tensor]
    """For each layer ``[2, kv heads, capacity, head size]``: keys, then values."""

    @classmethod
    def create(cls, config: Any, capacity: int, dtype: torch.dtype, device: torch.device) -> KeyValuePool:
        config = config.get_text_config()
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        shape = (2, heads, capacity, size)
        return cls([torch.zeros(shape, dtype=dtype, device=device) for _ in range(config.num_hidden_layers)])

    @property
    def capacity(self) -> int:
        return self.layers[0].shape[2]

    def grow(self, capacity: int) -> None:
        """Enlarge to ``capacity`` slots, keeping what is stored. A layer at a time: there are never two whole pools."""
        for number, layer in enumerate(self.layers):
            bigger = layer.new_zeros(*layer.shape[:2], capacity, layer.shape[3])
            bigger[:, :, : layer.shape[2]] = layer
            self.layers[number] = bigger


@dataclass(slots=True)
class AttentionPlan:
    """What each layer of one forward pass does. Without a pool the keys are the packed tokens' own."""

    blocks: list[Block]
    pool: KeyValuePool | None = None
    slots: Tensor | None = None
    """Pool slots of the packed tokens."""


def smallest_window(config: Any) -> int | None:
    """The model's sliding window in tokens; None for full attention in every layer."""
    if getattr(config, "use_sliding_window", True) is False:
        return None
    return getattr(config, "sliding_window", None)


def make_plan(runs: Sequence[Run], device: torch.device, window: int | None = None) -> list[Block]:
    """Cut ``runs`` (in row order, rows contiguous) into blocks, merging neighbours where that wastes little.

    ``window`` is the smallest sliding window of the model, if it has one.
    """
    pieces: list[Run] = []
    for run in runs:
        for start in range(0, len(run.own), _MAX_ROWS):
            own = run.own[start : start + _MAX_ROWS]
            path = np.concatenate([run.path, run.own[:start]]) if start else run.path
            pieces.append(Run(run.row + start, path, own))
    blocks: list[Block] = []
    members: list[Run] = []
    keys: Keys = np.empty(0, dtype=np.int64)
    rows, exact = 0, 0
    for piece in pieces:
        merged = np.union1d(keys, np.concatenate([piece.path, piece.own])) if members else None
        cost = len(piece.own) * (len(piece.path) + len(piece.own))
        if merged is not None and (rows + len(piece.own)) * len(merged) <= exact + cost + _CALL_COST * (len(members) + 1):
            members.append(piece)
            keys, rows, exact = merged, rows + len(piece.own), exact + cost
            continue
        if members:
            blocks.append(_block(members, keys, device, window))
        members, rows, exact = [piece], len(piece.own), cost
        keys = np.sort(np.concatenate([piece.path, piece.own]))
    if members:
        blocks.append(_block(members, keys, device, window))
    return blocks


def _block(members: Sequence[Run], keys: Keys, device: torch.device, window: int | None) -> Block:
    rows = sum(len(run.own) for run in members)
    mask = np.zeros((rows, len(keys)), dtype=bool)
    distance = np.zeros((rows, len(keys)), dtype=np.int64) if window is not None else None
    first = 0
    for run in members:
        length = len(run.own)
        path, own = np.searchsorted(keys, run.path), np.searchsorted(keys, run.own)
        mask[first : first + length, path] = True
        mask[np.ix_(np.arange(first, first + length), own)] = np.tri(length, dtype=bool)
        if distance is not None:
            depth = np.arange(len(path) + length)
            for offset in range(length):
                distance[first + offset, np.concatenate([path, own])] = len(path) + offset - depth
        first += length
    start = members[0].row
    contiguous = len(keys) == int(keys[-1]) - int(keys[0]) + 1
    return Block(
        rows=(start, start + rows),
        keys=torch.from_numpy(keys).to(device),
        span=(int(keys[0]), int(keys[-1]) + 1) if contiguous else None,
        mask=torch.from_numpy(mask).to(device),
        distance=torch.from_numpy(distance).to(device) if distance is not None else None,
    )


def _select(tensor: Tensor, block: Block) -> Tensor:
    """The block's keys or values ``[kv heads, keys, head size]``."""
    if block.span is not None:
        return tensor[:, block.span[0] : block.span[1]]
    return tensor.index_select(1, block.keys)


def _bias(block: Block, dtype: torch.dtype, window: int | None) -> Tensor:
    """``[rows, keys]`` additive: 0 where visible, -inf elsewhere. Kept between layers without a window."""
    if window is None or block.distance is None:
        if block.bias is None or block.bias.dtype != dtype:
            block.bias = torch.zeros(block.mask.shape, dtype=dtype, device=block.mask.device).masked_fill_(
                ~block.mask, -torch.inf
            )
        return block.bias
    visible = block.mask & (block.distance < window)
    return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill_(~visible, -torch.inf)


def _fold(tensor: Tensor, kv_heads: int) -> Tensor:
    """``[heads, rows, size]`` → ``[kv heads, heads per kv head x rows, size]``: grouped queries share their keys."""
    heads, rows, size = tensor.shape
    return tensor.reshape(kv_heads, heads // kv_heads * rows, size)


class _TreeAttention(torch.autograd.Function):
    """Softmax attention by blocks. Keeps the probabilities in the compute type; gradients of shared keys add in fp32."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, blocks: list[Block], scaling: float, window: int | None
    ) -> Tensor:
        output = torch.empty_like(query)
        kept = []
        for block in blocks:
            result, probabilities = _attend_block(query, key, value, block, scaling, window)
            output[:, block.rows[0] : block.rows[1]] = result
            kept.append(probabilities)
        ctx.save_for_backward(query, key, value, *kept)
        ctx.blocks, ctx.scaling = blocks, scaling
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = gradients
        query, key, value, *kept = ctx.saved_tensors
        kv_heads = key.shape[0]
        grad_query = torch.empty_like(query)
        grad_key = torch.zeros(key.shape, dtype=torch.float32, device=key.device)
        grad_value = torch.zeros_like(grad_key)
        for block, probabilities in zip(ctx.blocks, kept, strict=True):
            rows = slice(*block.rows)
            heads, count = query.shape[0], block.rows[1] - block.rows[0]
            q, g = _fold(query[:, rows], kv_heads), _fold(grad[:, rows], kv_heads)
            k, v = _select(key, block), _select(value, block)
            block_grad_value = torch.bmm(probabilities.transpose(1, 2), g)
            grad_scores = torch.bmm(g, v.transpose(1, 2)).float()
            p = probabilities.float()
            grad_scores = (p * (grad_scores - (p * grad_scores).sum(-1, keepdim=True))).mul_(ctx.scaling).to(query.dtype)
            grad_query[:, rows] = torch.bmm(grad_scores, k).view(heads, count, -1)
            block_grad_key = torch.bmm(grad_scores.transpose(1, 2), q)
            if block.span is not None:
                grad_key[:, block.span[0] : block.span[1]] += block_grad_key
                grad_value[:, block.span[0] : block.span[1]] += block_grad_value
            else:
                grad_key.index_add_(1, block.keys, block_grad_key.float())
                grad_value.index_add_(1, block.keys, block_grad_value.float())
        return grad_query, grad_key.to(key.dtype), grad_value.to(value.dtype), None, None, None


def _attend_block(
    query: Tensor, key: Tensor, value: Tensor, block: Block, scaling: float, window: int | None
) -> tuple[Tensor, Tensor]:
    """The block's output ``[heads, rows, size]`` and its probabilities ``[kv heads, heads per kv head x rows, keys]``."""
    kv_heads, heads = key.shape[0], query.shape[0]
    rows = block.rows[1] - block.rows[0]
    q = _fold(query[:, block.rows[0] : block.rows[1]], kv_heads)
    scores = torch.bmm(q, _select(key, block).transpose(1, 2)).float().mul_(scaling)
    scores = scores.view(heads, rows, -1).add_(_bias(block, torch.float32, window))
    probabilities = scores.softmax(-1).to(query.dtype).view(kv_heads, heads // kv_heads * rows, -1)
    return torch.bmm(probabilities, _select(value, block)).view(heads, rows, -1), probabilities


def tree_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    _: Tensor | None,
    *,
    attention_plan: AttentionPlan,
    scaling: float | None = None,
    sliding_window: int | None = None,
    **unused: Any,
) -> tuple[Tensor, None]:
    """The function Transformers calls in each layer: query ``[1, heads, tokens, size]`` → ``[1, tokens, heads, size]``."""
    if unused.get("softcap") is not None:
        raise ValueError("models with attention soft-capping are not supported by the local engine and learner")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    plan, pool = attention_plan, attention_plan.pool
    if pool is None:
        output: Tensor = _apply(query[0], key[0], value[0], plan.blocks, scale, sliding_window)
        return output.transpose(0, 1).unsqueeze(0), None
    layer = module.layer_idx
    assert isinstance(layer, int)
    assert plan.slots is not None
    keys, values = pool.layers[layer]
    keys.index_copy_(1, plan.slots, key[0])
    values.index_copy_(1, plan.slots, value[0])
    output = torch.empty_like(query[0])
    for block in plan.blocks:
        first, stop = block.rows
        output[:, first:stop] = functional.scaled_dot_product_attention(
            query[:, :, first:stop],
            _select(keys, block).unsqueeze(0),
            _select(values, block).unsqueeze(0),
            attn_mask=_bias(block, query.dtype, sliding_window),
            scale=scale,
            enable_gqa=True,
        )[0]
    return output.transpose(0, 1).unsqueeze(0), None


_apply: Callable[..., Tensor] = _TreeAttention.apply

AttentionInterface.register(NAME, tree_attention)
