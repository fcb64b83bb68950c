"""What the learner computes for a token is what the engine computed when it drew it (invariant 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.models import tree_attention
from agentgym_rl.agents.settings import WindowSettings
from agentgym_rl.training.batching.batch import Batch, make_batch

KL = {"kl": {"coefficient": 0.1}}
CASES: dict[str, tuple[dict[str, Any], Sampling]] = {
    "restricted": ({}, Sampling()),
    "restricted, warm, top-k": ({}, Sampling(1.7, top_k=3)),
    "free": ({"action_space": "free"}, Sampling(max_tokens=7)),
    "free, cool": ({"action_space": "free"}, Sampling(0.6, max_tokens=7)),
    "free, top-k": ({"action_space": "free"}, Sampling(1.0, top_k=9, max_tokens=7)),
    "free, top-p, warm": ({"action_space": "free"}, Sampling(1.3, top_p=0.7, max_tokens=7)),
    "thought": ({"format": "react", "thought_tokens": 5, "template": "chat"}, Sampling(0.8)),
    "chat, window": ({"template": "chat", "window": WindowSettings(turns=1)}, Sampling()),
}


def learners_own(learner: Any, batch: Batch) -> torch.Tensor:
    """Log-probs [episodes, tokens] as an update with several passes would measure them."""
    old = learner.measure(batch).old
    assert old is not None
    return old


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Sampling]:
    return CASES[request.param]


@pytest.mark.parametrize("kind", ["llama", pytest.param("mistral", marks=pytest.mark.slow)])
def test_engine_and_learner_agree(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any, case: Any, kind: str
) -> None:
    agent, sampling = case
    model = make_tiny(kind, **({"sliding_window": 40} if kind == "mistral" else {}))
    batch = make_batch(rollout(model, sampling=sampling, **agent))
    learner = make_learner(model, batch={"epochs": 2}, temperature=sampling.temperature)
    own = learners_own(learner, batch)
    assert int(batch.sampled_mask.sum()) > 30
    assert float(own[batch.sampled_mask].min()) < -0.5
    torch.testing.assert_close(own[batch.sampled_mask], batch.engine_log_probs[batch.sampled_mask], rtol=0, atol=1e-4)
    assert not own[~batch.sampled_mask].any()


@pytest.mark.parametrize("epochs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_the_first_ratio_is_one(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any, case: Any, epochs: int
) -> None:
    agent, sampling = case
    model = make_tiny()
    batch = make_batch(rollout(model, sampling=sampling, **agent))
    learner = make_learner(
        model, batch={"epochs": epochs}, optimizer={"learning_rate": 1e-30}, temperature=sampling.temperature
    )
    advantages = batch.action_mask.float()
    report = learner.update(batch, advantages, step=1, measured=learner.measure(batch))
    assert report.metrics["ratio/mean"] == pytest.approx(1.0, abs=1e-5)
    assert report.metrics["ratio/clipped"] == 0
    assert report.metrics["kl/rollout"] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("space", ["free", "admissible"])
def test_log_probs_and_entropy_are_those_of_a_plain_forward(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any, space: str
) -> None:
    """Without the engine, the tree and the packing: one segment, Transformers' attention, the definition."""
    temperature = 0.7
    model = make_tiny()
    sampling = Sampling(temperature, max_tokens=6)
    batch = make_batch(rollout(model, sampling=sampling, action_space=space, groups=1, size=2))
    learner = make_learner(model, batch={"epochs": 2}, temperature=temperature)
    own = learners_own(learner, batch)
    model.model.set_attn_implementation("eager")
    wanted = torch.zeros_like(own)
    for row, ids in enumerate(batch.token_ids):
        kept = iter(batch.kept[row])
        with torch.no_grad():
            logits = model.model(torch.tensor([ids])).logits[0] / temperature
        for place in batch.sampled_mask[row].nonzero()[:, 0].tolist():
            among = next(kept)
            before = logits[place - 1]
            if among is not None:
                before = torch.full_like(before, -torch.inf).index_copy(0, torch.tensor(among), before[among])
            wanted[row, place] = before.log_softmax(-1)[ids[place]]
    model.model.set_attn_implementation(tree_attention.NAME)
    torch.testing.assert_close(own, wanted, rtol=0, atol=1e-4)


def test_the_reference_is_the_policy_before_training(make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> None:
    model = make_tiny()
    batch = make_batch(rollout(model))
    learner = make_learner(model, algorithm=KL, batch={"epochs": 2})
    before = learner.measure(batch)
    torch.testing.assert_close(before.reference, before.old, rtol=0, atol=1e-5)
    for step in (1, 2, 3):
        learner.update(batch, batch.action_mask.float(), step=step, measured=learner.measure(batch))
    after = learner.measure(batch)
    torch.testing.assert_close(after.reference, before.reference, rtol=0, atol=1e-6)
    assert float((after.old - before.old).abs().max()) > 0.01


def test_bfloat16_agrees_in_the_mean(make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> None:
    model = make_tiny(spread=0.1)
    model.dtype = torch.bfloat16
    learner = make_learner(model, batch={"epochs": 2})
    batch = make_batch(rollout(model, groups=4))
    own = learners_own(learner, batch)[batch.sampled_mask]
    gap = own - batch.engine_log_probs[batch.sampled_mask]
    assert abs(float(gap.mean())) < 0.01
    assert float(gap.abs().mean()) < 0.02


def test_what_is_measured_only_where_it_is_read(make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> None:
    model = make_tiny()
    batch = make_batch(rollout(model, groups=1))
    nothing = make_learner(model).measure(batch)
    assert (nothing.old, nothing.reference, nothing.values, nothing.computed) == (None, None, None, 0)
    reference = make_learner(model, algorithm=KL).measure(batch)
    assert reference.old is None
    assert reference.reference is not None
    assert reference.computed > 0
    in_reward = make_learner(model, algorithm={"name": "rloo", **KL}).measure(batch)
    assert in_reward.old is not None
    ppo = make_learner(model, algorithm={"name": "ppo"}).measure(batch)
    assert ppo.values is not None
    assert not ppo.values.any()
