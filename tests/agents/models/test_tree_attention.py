"""Packed token trees give what each sequence alone gives, forward and backward, with and without a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from agentgym_rl.agents.models import tree_attention
from agentgym_rl.agents.models.head import candidate_logits, vocabulary_logits
from agentgym_rl.agents.models.tree_attention import AttentionPlan, KeyValuePool, Run, make_plan, smallest_window

MODELS: dict[str, dict[str, Any]] = {
    "llama": {},
    "llama multi-query": {"num_key_value_heads": 1},
    "llama multi-head": {"num_key_value_heads": 4},
    "mistral": {"sliding_window": 5},
    "qwen2": {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1},
    "gemma3_text": {"sliding_window": 4, "query_pre_attn_scalar": 8},
    "cohere": {"logit_scale": 0.5},
}
Sequences = list[list[int]]


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, make_tiny: Callable[..., Any]) -> Any:
    return make_tiny(request.param.split()[0], **MODELS[request.param]).model


def plain(model: Any, sequences: Sequences) -> list[Tensor]:
    """Logits of each sequence by Transformers' own attention."""
    model.set_attn_implementation("sdpa")
    try:
        return [model(input_ids=torch.tensor([ids]), use_cache=False).logits[0] for ids in sequences]
    finally:
        model.set_attn_implementation(tree_attention.NAME)


def pack(sequences: Sequences) -> tuple[list[int], list[int], list[Run], list[list[int]]]:
    """Ids, positions, runs and each sequence's rows: a trie built independently of the code under test."""
    ids: list[int] = []
    positions: list[int] = []
    runs: list[Run] = []
    rows: list[list[int]] = []
    known: dict[tuple[int, ...], int] = {}
    for sequence in sequences:
        mine = []
        first = len(ids)
        for end in range(1, len(sequence) + 1):
            prefix = tuple(sequence[:end])
            if prefix not in known:
                known[prefix] = len(ids)
                ids.append(sequence[end - 1])
                positions.append(end - 1)
            mine.append(known[prefix])
        if len(ids) > first:
            shared = len(sequence) - (len(ids) - first)
            runs.append(Run(first, np.array(mine[:shared], dtype=np.int64), np.arange(first, len(ids), dtype=np.int64)))
        rows.append(mine)
    return ids, positions, runs, rows


def forward(model: Any, ids: Sequence[int], positions: Sequence[int], plan: AttentionPlan) -> Tensor:
    hidden = model.get_decoder()(
        input_ids=torch.tensor([ids]), position_ids=torch.tensor([positions]), attention_plan=plan, use_cache=False
    ).last_hidden_state[0]
    return vocabulary_logits(model, hidden)


def plan_of(model: Any, runs: Sequence[Run], **more: Any) -> AttentionPlan:
    return AttentionPlan(make_plan(runs, torch.device("cpu"), smallest_window(model.config)), **more)


TREES = st.lists(st.lists(st.integers(3, 5), min_size=1, max_size=9), min_size=1, max_size=6)


@settings(max_examples=40)
@given(sequences=TREES)
def test_any_tree_is_its_sequences(model: Any, sequences: Sequences) -> None:
    ids, positions, runs, rows = pack(sequences)
    with torch.no_grad():
        packed = forward(model, ids, positions, plan_of(model, runs))
        for row, alone in zip(rows, plain(model, sequences), strict=True):
            torch.testing.assert_close(packed[row], alone, rtol=1e-4, atol=1e-4)


@settings(max_examples=20)
@given(sequences=TREES)
def test_gradients_of_any_tree_add_up(model: Any, sequences: Sequences) -> None:
    ids, positions, runs, rows = pack(sequences)
    parameters = list(model.parameters())

    def weigh(logits: Sequence[Tensor]) -> Tensor:
        """A loss that differs from token to token and from sequence to sequence."""
        return torch.stack(
            [
                ((number + 1) * one.tanh() * torch.linspace(0, 1, one.numel()).view(one.shape)).sum()
                for number, one in enumerate(logits)
            ]
        ).sum()

    wanted = torch.autograd.grad(weigh(plain(model, sequences)), parameters)
    packed = forward(model, ids, positions, plan_of(model, runs))
    found = torch.autograd.grad(weigh([packed[row] for row in rows]), parameters)
    scale = max(float(one.abs().max()) for one in wanted)
    for one, other in zip(wanted, found, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-3, atol=1e-5 * scale)


@settings(max_examples=30)
@given(sequences=TREES, cut=st.integers(1, 8), slots=st.permutations(range(60)))
def test_a_pool_carries_on(model: Any, sequences: Sequences, cut: int, slots: list[int]) -> None:
    """First the beginnings of all sequences, then the rest, in slots that lie anywhere."""
    capacity = 60
    config = model.config
    pool = KeyValuePool.create(config, capacity, torch.float32, torch.device("cpu"))
    slot: dict[tuple[int, ...], int] = {}
    logits: dict[tuple[int, ...], Tensor] = {}
    with torch.no_grad():
        for ends in (cut, 99):
            ids: list[int] = []
            positions: list[int] = []
            runs: list[Run] = []
            prefixes: list[tuple[int, ...]] = []
            for sequence in sequences:
                whole = [tuple(sequence[:end]) for end in range(1, min(ends, len(sequence)) + 1)]
                new = [prefix for prefix in whole if prefix not in slot]
                for prefix in new:
                    slot[prefix] = slots[len(slot)]
                if new:
                    path = np.array([slot[prefix] for prefix in whole[: -len(new)]], dtype=np.int64)
                    runs.append(Run(len(ids), path, np.array([slot[prefix] for prefix in new], dtype=np.int64)))
                    ids += [prefix[-1] for prefix in new]
                    positions += [len(prefix) - 1 for prefix in new]
                    prefixes += new
            if runs:
                taken = torch.from_numpy(np.concatenate([run.own for run in runs]))
                made = forward(model, ids, positions, plan_of(model, runs, pool=pool, slots=taken))
                logits |= dict(zip(prefixes, made, strict=True))
            pool.grow(pool.capacity + 3)  # what is stored stays
        for sequence, alone in zip(sequences, plain(model, sequences), strict=True):
            mine = torch.stack([logits[tuple(sequence[:end])] for end in range(1, len(sequence) + 1)])
            torch.testing.assert_close(mine, alone, rtol=1e-4, atol=1e-4)


def test_long_runs_make_several_blocks_and_stay_exact(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny("mistral", sliding_window=150).model
    generator = torch.Generator().manual_seed(0)
    trunk = torch.randint(3, 290, (140,), generator=generator).tolist()
    sequences = [trunk + torch.randint(3, 290, (170,), generator=generator).tolist() for _ in range(3)]
    ids, positions, runs, rows = pack(sequences)
    plan = plan_of(model, runs)
    assert len(plan.blocks) > 3
    assert any(block.span is None for block in plan.blocks)
    parameters = list(model.parameters())
    packed = forward(model, ids, positions, plan)
    alone = plain(model, sequences)
    for row, one in zip(rows, alone, strict=True):
        torch.testing.assert_close(packed[row], one, rtol=1e-4, atol=1e-4)
    found = torch.autograd.grad(torch.stack([packed[row].square().sum() for row in rows]).sum(), parameters)
    wanted = torch.autograd.grad(torch.stack([one.square().sum() for one in alone]).sum(), parameters)
    for other, one in zip(found, wanted, strict=True):
        torch.testing.assert_close(other, one, rtol=1e-3, atol=1e-5 * float(one.abs().max()))


def test_a_few_candidates_have_the_logits_of_the_whole_head(model: Any) -> None:
    hidden = torch.randn(3, 32, generator=torch.Generator().manual_seed(0))
    candidates = torch.tensor([[5, 9], [7, 7], [299, 0]])
    with torch.no_grad():
        whole = vocabulary_logits(model, hidden)
        torch.testing.assert_close(candidate_logits(model, hidden, candidates), whole.gather(1, candidates))


def test_the_window_of_a_model(make_tiny: Callable[..., Any]) -> None:
    assert smallest_window(make_tiny("mistral", sliding_window=7).model.config) == 7
    assert smallest_window(make_tiny("llama").model.config) is None
    assert smallest_window(make_tiny("qwen2", use_sliding_window=False, sliding_window=7).model.config) is None
