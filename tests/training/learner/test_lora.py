"""Adapters: what is trained, the reference, the merged model, the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.models.load import trainable
from agentgym_rl.training.batching.batch import make_batch
from agentgym_rl.training.learner.lora import adapters_off, merged_state
from agentgym_rl.training.settings import LoraSettings

LORA = {"optimizer": {"lora": LoraSettings(rank=2, alpha=4)}}
IDS = torch.tensor([[5, 6, 7, 8]])


def logits(model: Any) -> torch.Tensor:
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            found: torch.Tensor = model(IDS).logits
        return found
    finally:
        model.set_attn_implementation("agentgym_tree")


@pytest.fixture
def trained(make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> Any:
    """A learner whose adapters moved."""
    model = make_tiny()
    batch = make_batch(rollout(model, groups=1))
    learner = make_learner(model, algorithm={"kl": {"coefficient": 0.01}}, **LORA)
    for step in range(1, 4):
        learner.update(batch, batch.action_mask.float(), step=step, measured=learner.measure(batch))
    learner.batch = batch
    return learner


def test_only_adapters_are_trained(make_tiny: Callable[..., Any], make_learner: Any, trained: Any) -> None:
    plain = dict(make_tiny().model.named_parameters())
    adapted = dict(trained.model.named_parameters())
    assert set(trained.weights.masters) == set(trainable(trained.model)) == {name for name in adapted if ".lora_" in name}
    for name, tensor in adapted.items():
        if ".lora_" not in name:
            assert torch.equal(tensor, plain[name.replace(".base_layer", "")])
    untouched = make_learner(make_tiny(), **LORA)
    torch.testing.assert_close(logits(untouched.model), logits(make_tiny().model))


def test_the_reference_is_the_base_model(make_tiny: Callable[..., Any], trained: Any) -> None:
    base = logits(make_tiny().model)
    with adapters_off(trained.model):
        torch.testing.assert_close(logits(trained.model), base)
    assert float((logits(trained.model) - base).abs().max()) > 1e-3
    measured = trained.measure(trained.batch)
    sampled = trained.batch.sampled_mask
    torch.testing.assert_close(measured.reference[sampled], trained.batch.engine_log_probs[sampled], rtol=0, atol=1e-4)


def test_the_merged_model_gives_the_same_logits(make_tiny: Callable[..., Any], trained: Any) -> None:
    merged = make_tiny(seed=9).model
    missing = merged.load_state_dict(merged_state(trained.model, trained.weights.masters))
    assert not missing.missing_keys
    assert not missing.unexpected_keys
    torch.testing.assert_close(logits(merged), logits(trained.model), rtol=1e-4, atol=1e-4)


def test_adapters_start_by_the_seed_alone(make_tiny: Callable[..., Any], make_learner: Any) -> None:
    torch.manual_seed(1)
    one = make_learner(make_tiny(), **LORA)
    torch.manual_seed(2)
    other = make_learner(make_tiny(), **LORA)
    assert all(torch.equal(one.weights.masters[name], other.weights.masters[name]) for name in one.weights.masters)


def test_the_state_goes_on(make_tiny: Callable[..., Any], make_learner: Any, trained: Any) -> None:
    again = make_learner(make_tiny(), algorithm={"kl": {"coefficient": 0.01}}, **LORA)
    again.load_state_dict(trained.state_dict(copy_tensors=True))
    assert torch.equal(logits(again.model), logits(trained.model))


def test_targets_that_are_not_there_or_would_be_ignored(make_tiny: Callable[..., Any], make_learner: Any) -> None:
    with pytest.raises(ModelError, match=r"optimizer.lora.targets=\['nothing'\]"):
        make_learner(make_tiny(), optimizer={"lora": LoraSettings(targets=["nothing"])})
    with pytest.raises(ModelError, match=r"optimizer.lora.targets=\['lm_head', 'q_proj'\].*output head"):
        make_learner(make_tiny(), optimizer={"lora": LoraSettings(targets=["lm_head", "q_proj"])})
