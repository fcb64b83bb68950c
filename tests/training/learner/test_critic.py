"""The critic learns what is to be expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from agentgym_rl.training.batching.batch import make_batch
from agentgym_rl.training.learner.measure import Measured


@pytest.mark.parametrize("kind", ["head", "model"])
@pytest.mark.parametrize("name", ["ppo", pytest.param("turn_ppo", marks=pytest.mark.slow)])
def test_values_learn_fixed_returns(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any, kind: str, name: str
) -> None:
    model = make_tiny()
    batch = make_batch(rollout(model, groups=2))
    learner = make_learner(
        model, algorithm={"name": name, "critic": {"kind": kind, "learning_rate": 1e-2, "clip": None, "warmup_steps": 1000}}
    )
    policy = {key: tensor.clone() for key, tensor in learner.weights.state().items()}
    teacher = make_learner(make_tiny(), algorithm={"name": "ppo"})
    with torch.no_grad():
        teacher.critic._head.weight.copy_(0.1 * torch.randn(1, 32, generator=torch.Generator().manual_seed(0)))
        teacher.critic._head.bias.fill_(0.5)
    returns = teacher.measure(batch).values
    first = learner.measure(batch).values
    assert not first.any()

    def error(values: torch.Tensor) -> float:
        chosen = learner.algorithm.value_mask(_inputs(batch))
        return float((values - returns)[chosen].square().mean())

    start = error(first)
    for step in range(1, 41):
        values = learner.measure(batch).values
        learner.update(
            batch, torch.zeros_like(returns), step=step, returns=returns, measured=Measured(old=None, values=values)
        )
    assert error(learner.measure(batch).values) < 0.2 * start
    assert all(torch.equal(policy[key], tensor) for key, tensor in learner.weights.state().items())


def _inputs(batch: Any) -> Any:
    from agentgym_rl.training.advantages import AdvantageInputs

    return AdvantageInputs(
        rewards=batch.rewards, action_mask=batch.action_mask, turns=batch.turns, groups=batch.groups, valid=batch.valid
    )


def test_the_policy_learns_after_the_critics_warm_up_and_not_through_its_head(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any
) -> None:
    model = make_tiny()
    batch = make_batch(rollout(model, groups=1))
    learner = make_learner(model, algorithm={"name": "ppo", "critic": {"warmup_steps": 1, "learning_rate": 1e-2}})

    def step(number: int, advantages: torch.Tensor) -> bool:
        before = {key: tensor.clone() for key, tensor in learner.weights.state().items()}
        learner.update(batch, advantages, step=number, returns=batch.action_mask.float(), measured=learner.measure(batch))
        return any(not torch.equal(before[key], tensor) for key, tensor in learner.weights.state().items())

    assert not step(1, batch.action_mask.float())
    assert step(2, batch.action_mask.float())
    # The critic's error alone moves nothing of the policy: its gradient stops at the hidden states.
    learner.optimizer._adamw.state.clear()
    assert not step(3, torch.zeros(batch.action_mask.shape))


def test_the_critic_keeps_its_learning_rate_whatever_the_policys_schedule(
    make_tiny: Callable[..., Any], make_learner: Any
) -> None:
    learner = make_learner(
        make_tiny(),
        algorithm={"name": "ppo", "critic": {"learning_rate": 3e-3}},
        optimizer={"learning_rate": 1e-4, "warmup_steps": 5, "decay_steps": 10},
    )
    assert learner.optimizer.learning_rate(1) < learner.optimizer.learning_rate(5) > learner.optimizer.learning_rate(15)
    assert {learner.critic._optimizer.learning_rate(step) for step in (1, 5, 15, 100)} == {3e-3}


def test_a_value_is_that_of_the_state_before_the_token(
    make_tiny: Callable[..., Any], rollout: Any, make_learner: Any
) -> None:
    model = make_tiny()
    batch = make_batch(rollout(model, groups=1, size=1))
    learner = make_learner(model, algorithm={"name": "ppo"})
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        learner.critic._head.weight.copy_(torch.randn(1, 32, generator=generator))
    model.model.set_attn_implementation("eager")
    with torch.no_grad():
        hidden = model.model.get_decoder()(torch.tensor([batch.token_ids[0]])).last_hidden_state[0]
        wanted = learner.critic._head(learner.critic._norm(hidden))[:, 0]
    model.model.set_attn_implementation("agentgym_tree")
    values = learner.measure(batch).values[0]
    places = batch.action_mask[0].nonzero()[:, 0]
    torch.testing.assert_close(values[places], wanted[places - 1], rtol=1e-4, atol=1e-4)
    assert not values[~batch.action_mask[0]].any()
