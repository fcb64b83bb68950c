"""Updates: epochs and mini-batches, skipped work, numbers that are not finite, forced tokens."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.training.batching.batch import Batch, make_batch
from agentgym_rl.training.learner.learner import NotFinite


@pytest.fixture
def batch(make_tiny: Callable[..., Any], rollout: Any) -> Batch:
    return make_batch(rollout(make_tiny(), groups=4))


def alternating(batch: Batch) -> Tensor:
    """Advantage 1 or -1, by episode."""
    sign = torch.tensor([1.0 if row % 2 else -1.0 for row in range(len(batch))])
    return torch.where(batch.action_mask, sign[:, None], 0.0)


def weights(learner: Any) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in learner.weights.state().items()}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(("epochs", "mini_batches"), [(1, 1), (3, 1), (1, 2), (2, 4)])
def test_epochs_and_mini_batches_loop(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch, epochs: int, mini_batches: int
) -> None:
    learner = make_learner(make_tiny(), batch={"epochs": epochs, "mini_batches": mini_batches})
    rows_of_updates: list[tuple[int, ...]] = []
    make_update, seen = learner.optimizer.update, []
    inner = learner._mini_batch

    def mini_batch(work: Any, rows: list[int], *more: Any) -> int:
        rows_of_updates.append(tuple(rows))
        return int(inner(work, rows, *more))

    learner._mini_batch = mini_batch
    learner.optimizer.update = lambda step: seen.append(step) or make_update(step)
    report = learner.update(batch, alternating(batch), step=4, measured=learner.measure(batch))
    assert seen == [4] * (epochs * mini_batches)
    for epoch in range(epochs):
        rows = rows_of_updates[epoch * mini_batches : (epoch + 1) * mini_batches]
        assert sorted(row for some in rows for row in some) == list(range(len(batch)))
        for some in rows:  # groups are never cut
            assert len({int(batch.groups[row]) for row in some}) * 4 == len(some)
    if epochs > 1:  # the second pass is off the policy that sampled
        assert report.metrics["ratio/mean"] != pytest.approx(1.0, abs=1e-6)


def test_an_update_makes_good_episodes_likelier(make_tiny: Callable[..., Any], make_learner: Any, batch: Batch) -> None:
    learner = make_learner(make_tiny(), batch={"epochs": 2})
    advantages = alternating(batch)
    before = learner.measure(batch).old
    for step in range(1, 6):
        learner.update(batch, advantages, step=step, measured=learner.measure(batch))
    change = torch.where(batch.sampled_mask, learner.measure(batch).old - before, 0.0).sum(1)
    signs = advantages.sum(1).sign()
    assert float((change * signs).mean()) > 0.1


def test_nothing_happens_without_advantages(make_tiny: Callable[..., Any], make_learner: Any, batch: Batch) -> None:
    learner = make_learner(make_tiny(), optimizer={"weight_decay": 0.1})
    before = weights(learner)
    report = learner.update(batch, torch.zeros(batch.action_mask.shape), step=1)
    assert report.computed == 0
    assert report.metrics["grad_norm"] == 0
    assert same(before, weights(learner))


def test_episodes_without_advantage_are_not_computed_but_count_in_the_denominator(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch
) -> None:
    advantages = torch.where(batch.groups[:, None] == 0, alternating(batch), 0.0)
    report = make_learner(make_tiny()).update(batch, advantages, step=1)
    with_entropy = make_learner(make_tiny(), algorithm={"entropy_coefficient": 1e-9}).update(batch, advantages, step=1)
    assert report.computed < with_entropy.computed / 2
    even = torch.where((batch.groups[:, None] == 0) & batch.action_mask, 1.0, 0.0)
    loss = make_learner(make_tiny()).update(batch, even, step=1).metrics["loss/policy"]
    assert loss == pytest.approx(-0.25, abs=1e-5)  # a quarter of the episodes, each with the same weight
    assert report.metrics["loss/policy"] == pytest.approx(with_entropy.metrics["loss/policy"], abs=1e-6)
    assert report.metrics["grad_norm"] == pytest.approx(with_entropy.metrics["grad_norm"], rel=1e-4)


@pytest.mark.parametrize("embeddings", [True, False])
def test_embeddings_are_trained_only_when_asked_for(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch, embeddings: bool
) -> None:
    model = make_tiny()
    learner = make_learner(model, optimizer={"train_embeddings": embeddings})
    before = model.model.get_input_embeddings().weight.clone()
    learner.update(batch, alternating(batch), step=1)
    assert torch.equal(before, model.model.get_input_embeddings().weight) is not embeddings


@pytest.mark.parametrize("algorithm", [{}, {"name": "ppo"}], ids=["grpo", "ppo"])
@pytest.mark.parametrize("passes", [1, 2])
def test_a_loss_that_is_not_finite_leaves_everything_as_it_was(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch, algorithm: dict[str, Any], passes: int
) -> None:
    learner = make_learner(make_tiny(), algorithm=algorithm, batch={"mini_batches": passes})
    learner.update(batch, alternating(batch), step=1, returns=alternating(batch), measured=learner.measure(batch))
    before = learner.state_dict(copy_tensors=True)
    advantages = alternating(batch)
    advantages[-1, batch.sampled_mask[-1]] = torch.nan  # in the last mini-batch
    with pytest.raises(NotFinite, match="step 2: the loss is nan"):
        learner.update(batch, advantages, step=2, returns=alternating(batch), measured=learner.measure(batch))
    after = learner.state_dict()
    assert same(before["weights"], after["weights"])
    if learner.critic is not None:
        assert same(before["critic"]["weights"], after["critic"]["weights"])
    moments = [state["optimizer"]["state"] for state in (before, after)]
    assert all(torch.equal(moments[0][key]["exp_avg"], moments[1][key]["exp_avg"]) for key in moments[0])
    assert all(parameter.grad is None for parameter in learner.model.parameters())
    learner.update(batch, alternating(batch), step=2, returns=alternating(batch), measured=learner.measure(batch))


def test_a_gradient_that_is_not_finite_is_no_update(make_tiny: Callable[..., Any], make_learner: Any, batch: Batch) -> None:
    learner = make_learner(make_tiny(), algorithm={"name": "ppo"})
    before = weights(learner)
    returns = torch.where(batch.action_mask, 1e38, 0.0)  # the critic's squared error overflows
    with pytest.raises(NotFinite, match=r"step 1: the (loss|gradient norm) is"):
        learner.update(batch, alternating(batch), step=1, returns=returns, measured=learner.measure(batch))
    assert same(before, weights(learner))


def test_the_learning_rate_warms_up_from_a_first_step_that_is_not_zero(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch
) -> None:
    learner = make_learner(make_tiny(), optimizer={"learning_rate": 0.4, "warmup_steps": 4})
    assert [learner.optimizer.learning_rate(step) for step in (1, 2, 4, 9)] == pytest.approx([0.1, 0.2, 0.4, 0.4])
    report = learner.update(batch, alternating(batch), step=2)
    assert report.metrics["learning_rate"] == pytest.approx(0.2)
    assert {group["lr"] for group in learner.optimizer._adamw.param_groups} == {0.2}
    assert make_learner(make_tiny()).optimizer.learning_rate(1) == 1e-3


def test_the_learning_rate_falls_to_a_tenth_after_the_warm_up(make_tiny: Callable[..., Any], make_learner: Any) -> None:
    learner = make_learner(make_tiny(), optimizer={"learning_rate": 0.4, "warmup_steps": 2, "decay_steps": 10})
    found = [learner.optimizer.learning_rate(step) for step in (1, 2, 3, 7, 12, 50)]
    assert found == pytest.approx([0.2, 0.4, 0.364, 0.22, 0.04, 0.04])


def test_gradients_are_clipped(make_tiny: Callable[..., Any], make_learner: Any, batch: Batch) -> None:
    learner = make_learner(make_tiny(), optimizer={"max_grad_norm": 1e-3})
    norms = []
    update = learner.optimizer.update

    def watched(step: int) -> None:
        norms.append(math.sqrt(sum(float(one.grad.square().sum()) for one in learner.weights.masters.values())))
        update(step)

    learner.optimizer.update = watched
    report = learner.update(batch, alternating(batch), step=1)
    assert norms == [pytest.approx(1e-3, rel=1e-3)]
    assert report.metrics["grad_norm"] > 1e-2


def test_forced_tokens_become_likelier_when_they_are_trained(
    make_tiny: Callable[..., Any], make_learner: Any, rollout: Any
) -> None:
    batch = make_batch(rollout(make_tiny(), groups=2))
    forced = batch.action_mask & ~batch.sampled_mask
    assert forced.any()
    advantages = torch.where(batch.action_mask, 1.0, 0.0)

    def likelihood(learner: Any) -> float:
        """Mean log-probability of the forced tokens when nothing restricts."""
        total = 0.0
        for row, ids in enumerate(batch.token_ids):
            places = forced[row].nonzero()[:, 0]
            with torch.no_grad():
                learner.model.set_attn_implementation("sdpa")
                log_probs = learner.model(torch.tensor([ids])).logits[0].log_softmax(-1)
                learner.model.set_attn_implementation("agentgym_tree")
            total += float(log_probs[places - 1, torch.tensor(ids)[places]].sum())
        return total / int(forced.sum())

    gains = {}
    for coefficient in (0.0, 1.0):
        learner = make_learner(make_tiny(), algorithm={"forced_tokens": coefficient})
        before = likelihood(learner)
        for step in range(1, 9):
            report = learner.update(batch, advantages, step=step)
        gains[coefficient] = likelihood(learner) - before
        assert ("loss/forced" in report.metrics) is bool(coefficient)
    assert gains[1.0] > 1.0
    assert gains[1.0] > 5 * abs(gains[0.0])


def test_forced_tokens_are_trained_at_temperature_one(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch
) -> None:
    """Whatever the temperature of the choices was: it is the plain distribution that is to write them later."""
    positive = torch.where(batch.action_mask, 1.0, 0.0)
    losses = [
        make_learner(make_tiny(), algorithm={"forced_tokens": 1.0}, temperature=temperature)
        .update(batch, positive, step=1)
        .metrics["loss/forced"]
        for temperature in (1.0, 0.5)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)
    assert losses[0] > 1


def test_only_messages_with_a_positive_advantage_teach_forced_tokens(
    make_tiny: Callable[..., Any], make_learner: Any, batch: Batch
) -> None:
    learner = make_learner(make_tiny(), algorithm={"forced_tokens": 1.0})
    report = learner.update(batch, torch.where(batch.action_mask, -1.0, 0.0), step=1)
    assert report.metrics["loss/forced"] == 0


def test_the_state_goes_on_exactly(make_tiny: Callable[..., Any], make_learner: Any, batch: Batch) -> None:
    settings: dict[str, Any] = {
        "algorithm": {"name": "ppo", "kl": {"coefficient": 0.1, "controller": {"kind": "adaptive", "target": 0.01}}},
        "batch": {"epochs": 2},
    }
    straight, first, second = (make_learner(make_tiny(), **settings) for _ in range(3))

    def step(learner: Any, number: int) -> None:
        learner.update(batch, alternating(batch), step=number, returns=alternating(batch), measured=learner.measure(batch))

    for number in (1, 2, 3):
        step(straight, number)
    step(first, 1)
    step(first, 2)
    second.load_state_dict(first.state_dict(copy_tensors=True))
    step(second, 3)
    assert same(straight.state_dict()["weights"], second.state_dict()["weights"])
    assert same(straight.state_dict()["critic"]["weights"], second.state_dict()["critic"]["weights"])
    assert straight.kl.coefficient == second.kl.coefficient != 0.1


def test_an_empty_batch_updates_nothing(make_tiny: Callable[..., Any], make_learner: Any, rollout: Any) -> None:
    """Every episode ended before its first message."""
    trajectories = rollout(make_tiny(), groups=1, horizon=1, sampling=Sampling())
    for trajectory in trajectories:
        trajectory.turns, trajectory.segments, trajectory.ended = [], [], "context"
    batch = make_batch(trajectories)
    assert batch.action_mask.shape == (4, 0)
    learner = make_learner(make_tiny())
    report = learner.update(batch, torch.zeros(4, 0), step=1, measured=learner.measure(batch))
    assert report.metrics["grad_norm"] == 0
