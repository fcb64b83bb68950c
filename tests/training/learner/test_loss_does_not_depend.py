"""The loss and its gradient do not depend on micro-batches, sharing, order or padding (invariant 5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.settings import WindowSettings
from agentgym_rl.training.batching.batch import Batch, make_batch
from agentgym_rl.training.batching.micro_batch import micro_batches
from agentgym_rl.training.learner import learner as learner_module

ALGORITHMS: dict[str, dict[str, Any]] = {
    "grpo": {},
    "grpo with everything": {
        "kl": {"coefficient": 0.05},
        "entropy_coefficient": 0.01,
        "forced_tokens": 0.1,
        "correction": {"cap": 1.5},
    },
    "dr_grpo": {"name": "dr_grpo"},
    "dapo": {"name": "dapo", "dynamic_sampling": False},
    "gspo": {"name": "gspo"},
    "ppo with a head": {"name": "ppo", "advantage": {"whiten": False}},
    "turn_ppo with a model": {"name": "turn_ppo", "critic": {"kind": "model"}, "kl": {"coefficient": 0.05}},
}


def gradients(
    learner: Any, batch: Batch, advantages: Tensor, returns: Tensor | None
) -> tuple[dict[str, Tensor], dict[str, float]]:
    """Gradients and metrics of one update that changes nothing."""
    found: dict[str, Tensor] = {}

    def keep(step: int, name: str, parameters: dict[str, Tensor]) -> None:  # noqa: ARG001
        found.update({f"{name} {key}": one.grad.clone() for key, one in parameters.items() if one.grad is not None})

    learner.optimizer.update = partial(keep, name="policy", parameters=learner.weights.masters)
    learner.optimizer.gradient_norm = lambda: 0.0
    if learner.critic is not None:
        learner.critic.update = partial(keep, name="critic", parameters=learner.critic._parameters)
        learner.critic.gradient_norm = lambda: 0.0
    measured = learner.measure(batch)
    if measured.old is None:
        measured.old = batch.engine_log_probs + 0.1 * torch.sin(13 * batch.engine_log_probs)  # ratios that are not all one
    report = learner.update(batch, advantages, step=1, returns=returns, measured=measured)
    return found, report.metrics


def close(one: tuple[dict[str, Tensor], dict[str, float]], other: tuple[dict[str, Tensor], dict[str, float]]) -> None:
    assert one[0].keys() == other[0].keys()
    assert one[0]
    scale = max(float(tensor.abs().max()) for tensor in one[0].values())
    assert scale > 0
    for name, tensor in one[0].items():
        torch.testing.assert_close(other[0][name], tensor, rtol=1e-5, atol=1e-5 * scale)
    assert one[1].keys() == other[1].keys()
    for name, value in one[1].items():
        assert other[1][name] == pytest.approx(value, rel=1e-4, abs=1e-6), name


FAST = ("grpo with everything", "gspo", "turn_ppo with a model")


@pytest.fixture(params=[name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in ALGORITHMS])
def setting(request: pytest.FixtureRequest, make_tiny: Callable[..., Any], rollout: Any, make_learner: Any) -> Any:
    """Makes (learner, batch, advantages, returns): the same each time but for how the mini-batch is cut."""
    algorithm = ALGORITHMS[request.param]
    agent: dict[str, Any] = {"window": WindowSettings(turns=2)} if "model" in request.param else {}
    trajectories = rollout(make_tiny(), horizon=4, sampling=Sampling(max_tokens=9), **agent)
    trajectories[5].ended = "fault"

    def make(order: list[int] | None = None, extra: int = 0, micro_batch_tokens: int = 1024) -> Any:
        chosen = trajectories if order is None else [trajectories[row] for row in order]
        batch = pad(make_batch(chosen), extra)
        learner = make_learner(make_tiny(), algorithm=algorithm, batch={"micro_batch_tokens": micro_batch_tokens})
        if learner.critic is not None:
            with torch.no_grad():
                learner.critic._head.weight.fill_(0.1)
        generator = torch.Generator().manual_seed(0)
        values = torch.randn(3, len(trajectories), generator=generator)
        values[0, ::3] = 0.0  # some episodes have no advantage
        rows = list(range(len(trajectories))) if order is None else order
        by_turn = 1 + 0.1 * batch.turns.clamp(min=0)
        advantages = torch.where(batch.action_mask & batch.valid[:, None], values[0, rows][:, None] * by_turn, 0.0)
        returns = torch.where(batch.action_mask, values[1, rows][:, None] * by_turn, 0.0)
        return learner, batch, advantages, returns if learner.critic is not None else None

    return make


def pad(batch: Batch, extra: int) -> Batch:
    """``extra`` more columns that mean nothing."""
    for name in ("action_mask", "sampled_mask", "turns", "rewards", "engine_log_probs"):
        tensor = getattr(batch, name)
        filler = torch.full((len(batch), extra), -1 if name == "turns" else 0, dtype=tensor.dtype)
        setattr(batch, name, torch.cat([tensor, filler], 1))
    return batch


def test_neither_on_micro_batches(setting: Any) -> None:
    whole = gradients(*setting())
    for tokens in (1, 150, 100_000):
        close(whole, gradients(*setting(micro_batch_tokens=tokens)))


def test_nor_on_shared_prefixes(setting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = gradients(*setting(micro_batch_tokens=100_000))
    computed = []

    def unshared(*arguments: Any, **more: Any) -> Any:
        for micro in micro_batches(*arguments, **{**more, "share": False}):
            computed.append(len(micro.tree))
            yield micro

    monkeypatch.setattr(learner_module, "micro_batches", unshared)
    close(shared, gradients(*setting(micro_batch_tokens=100_000)))
    assert computed


def test_nor_on_the_order_of_episodes(setting: Any) -> None:
    order = [7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 4, 6]
    close(gradients(*setting()), gradients(*setting(order=order)))


def test_nor_on_padding(setting: Any) -> None:
    close(gradients(*setting()), gradients(*setting(extra=17)))


def test_faults_count_for_nothing_even_as_nan(setting: Any) -> None:
    learner, batch, advantages, returns = setting()
    wanted = gradients(learner, batch, advantages, returns)
    learner, batch, advantages, returns = setting()
    row = int((~batch.valid).nonzero()[0])
    batch.engine_log_probs[row] = torch.nan
    batch.rewards[row] = torch.nan
    if returns is not None:
        returns[row] = torch.nan
    close(wanted, gradients(learner, batch, advantages, returns))


def test_sharing_computes_far_fewer_tokens(make_tiny: Callable[..., Any], rollout: Any) -> None:
    batch = make_batch(rollout(make_tiny(), size=8))
    wanted = {"policy": batch.sampled_mask}
    shared, alone = (
        sum(len(micro.tree) for micro in micro_batches(batch, range(len(batch)), wanted, 10**6, share=share))
        for share in (True, False)
    )
    assert shared < 0.5 * alone
