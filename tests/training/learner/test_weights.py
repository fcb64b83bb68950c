"""fp32 masters behind a bfloat16 model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from agentgym_rl.training.batching.batch import make_batch
from agentgym_rl.training.learner.weights import MasterWeights

NAME = "model.layers.0.mlp.up_proj.weight"


def test_many_small_updates_are_not_lost(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    weights = MasterWeights(model, torch.bfloat16)
    parameter, master = dict(model.named_parameters())[NAME], weights.masters[NAME]
    with torch.no_grad():
        master.fill_(1.0)
    weights.publish()
    for _ in range(64):
        with torch.no_grad():
            master += 2.0**-12  # a bfloat16 near 1 moves in steps of 2 ** -7
        weights.publish()
    assert float(parameter.detach()[0, 0]) == 1 + 2.0**-6
    alone = torch.ones((), dtype=torch.bfloat16)
    for _ in range(64):
        alone += 2.0**-12
    assert float(alone) == 1.0


def test_gradients_add_up_in_fp32(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    weights = MasterWeights(model, torch.bfloat16)
    parameter = dict(model.named_parameters())[NAME]
    for _ in range(3):
        parameter.grad = torch.full_like(parameter, 1.0 + 2.0**-7)
        weights.take_gradients()
        assert parameter.grad is None
    grad = weights.masters[NAME].grad
    assert grad is not None
    assert grad.dtype == torch.float32
    assert float(grad[0, 0]) == 3 * (1 + 2.0**-7)
    weights.clear_gradients()
    assert weights.masters[NAME].grad is None


def test_fp32_compute_has_no_second_copy(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    weights = MasterWeights(model, torch.float32)
    parameter = dict(model.named_parameters())[NAME]
    assert weights.masters[NAME] is parameter
    parameter.grad = torch.ones_like(parameter)
    weights.take_gradients()
    assert parameter.grad is not None
    weights.clear_gradients()
    assert parameter.grad is None


def test_frozen_parameters_are_no_masters_and_rotary_frequencies_stay(make_tiny: Callable[..., Any]) -> None:
    model = make_tiny().model
    frequencies = model.model.rotary_emb.inv_freq.clone()
    model.get_input_embeddings().requires_grad_(False)
    weights = MasterWeights(model, torch.bfloat16)
    assert "model.embed_tokens.weight" not in weights.masters
    assert model.get_input_embeddings().weight.dtype == torch.bfloat16
    assert torch.equal(model.model.rotary_emb.inv_freq, frequencies)


def test_state_and_back(make_tiny: Callable[..., Any]) -> None:
    one, other = (MasterWeights(make_tiny(seed=seed).model, torch.bfloat16) for seed in (0, 1))
    other.load(one.state())
    assert all(torch.equal(one.masters[name], other.masters[name]) for name in one.masters)
    mine, theirs = (dict(weights._model.named_parameters())[NAME] for weights in (one, other))
    assert torch.equal(mine, theirs)


def test_small_learning_rates_move_a_bfloat16_model(make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> None:
    model = make_tiny()
    model.dtype = torch.bfloat16
    learner = make_learner(model, optimizer={"learning_rate": 1e-5})
    batch = make_batch(rollout(model, groups=1))
    before = learner.weights.masters[NAME].clone()
    for step in range(1, 11):
        learner.update(batch, batch.action_mask.float(), step=step)
    moved = (learner.weights.masters[NAME] - before).abs()
    assert 5e-5 < float(moved.median()) < 1.1e-4  # ten steps of Adam in one direction
