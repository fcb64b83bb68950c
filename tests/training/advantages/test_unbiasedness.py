"""Expected gradients, exactly: every group of episodes of a small world, weighted by its probability.

The world has two turns, three actions in the first and two in the second, whose state is the first action; each turn gives
a reward. The policy is a table of logits. All 6 episodes, so all 6 ** 3 groups of three, can be listed: the expectation of
an estimator's gradient is a finite sum, compared with the exact policy gradient (no sampling, no standard error).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import sqrt
from statistics import mean, stdev, variance
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, estimate

SIZE = 3
FIRST = torch.tensor([0.3, -0.2, 0.5], dtype=torch.float64)
SECOND = torch.tensor([[0.1, -0.4], [0.8, 0.0], [-0.3, 0.6]], dtype=torch.float64)
EARLY = torch.tensor([0.0, 0.25, -0.5], dtype=torch.float64)
LATE = torch.tensor([[1.0, 0.0], [0.5, 2.0], [0.0, 1.5]], dtype=torch.float64)
EPISODES = [(a, b) for a in range(3) for b in range(2)]
GROUPS = list(product(range(len(EPISODES)), repeat=SIZE))


def log_policies(theta: Tensor) -> tuple[Tensor, Tensor]:
    """[episodes] log-prob of the first and of the second action of every episode."""
    first, second = theta[:3].log_softmax(0), theta[3:].view(3, 2).log_softmax(1)
    return torch.stack([first[a] for a, _ in EPISODES]), torch.stack([second[a, b] for a, b in EPISODES])


THETA = torch.cat([FIRST, SECOND.flatten()])
LOG_PROBS = torch.stack(log_policies(THETA), 1)
SCORES = torch.stack(torch.autograd.functional.jacobian(log_policies, THETA), 1)
"""[episodes, turns, parameters]: gradient of the log-prob of each action."""
PROBABILITY = LOG_PROBS.sum(1).exp()
REWARDS = torch.tensor([[EARLY[a], LATE[a, b]] for a, b in EPISODES])
RETURNS = REWARDS.sum(1)
EXACT = torch.einsum("e,e,etp->p", PROBABILITY, RETURNS, SCORES)
VALUE_FIRST = float(PROBABILITY @ RETURNS)
VALUE_SECOND = [float(sum(LOG_PROBS[2 * a + b, 1].exp() * LATE[a, b] for b in range(2))) for a in range(3)]


def expected_gradient(name: str, one_batch: bool = False, values: str = "true", **settings: Any) -> Tensor:
    """Mean over all groups of ``(1 / SIZE) sum A[t] grad log pi[t]``. ``one_batch`` False: each group is its own batch."""
    members = torch.tensor(GROUPS)
    weights = PROBABILITY[members].prod(1)
    if one_batch:
        advantages = turn_advantages(name, members, values, settings)
    else:
        advantages = torch.stack([turn_advantages(name, row[None], values, settings)[0] for row in members])
    return torch.einsum("g,gst,gstp->p", weights, advantages, SCORES[members]) / SIZE


def turn_advantages(name: str, members: Tensor, values: str, settings: dict[str, Any]) -> Tensor:
    """[groups, SIZE, turns]; an observation token lies between the two actions."""
    episodes = members.flatten()
    rewards = torch.zeros(len(episodes), 3, dtype=torch.float64)
    rewards[:, [0, 2]] = REWARDS[episodes]
    states = [["start", f"after {EPISODES[episode][0]}"] for episode in episodes.tolist()]
    learned = torch.zeros(len(episodes), 3)
    learned[:, 0] = VALUE_FIRST
    learned[:, 2] = torch.tensor([VALUE_SECOND[EPISODES[episode][0]] for episode in episodes.tolist()])
    inputs = AdvantageInputs(
        rewards=rewards,
        action_mask=torch.tensor([[True, False, True]]).expand(len(episodes), 3),
        turns=torch.tensor([[0, -1, 1]]).expand(len(episodes), 3),
        groups=torch.arange(len(members)).repeat_interleave(SIZE),
        values=learned if values == "true" else 0.3 * learned + 0.7,
        states=states,
        baselines=torch.full((len(episodes),), 0.8),
    )
    return estimate(name, inputs, **settings).advantages[:, [0, 2]].double().view(len(members), SIZE, 2)


def assert_gradient(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rloo", {}),
        ("remax", {}),
        ("reinforce", {"baseline": "running"}),
        ("reinforce", {"baseline": "none"}),
        ("gae", {"lam": 1.0}),
        ("turn_gae", {"lam": 1.0}),
    ],
)
def test_unbiased_whatever_the_critic(name: str, settings: dict[str, Any]) -> None:
    assert_gradient(expected_gradient(name, one_batch=True, values="wrong", **settings), EXACT)


@pytest.mark.parametrize("name", ["gae", "turn_gae"])
def test_unbiased_at_any_lambda_with_the_true_values(name: str) -> None:
    for lam in (0.0, 0.5):
        assert_gradient(expected_gradient(name, one_batch=True, lam=lam), EXACT)


@pytest.mark.parametrize("name", ["gae", "turn_gae"])
def test_a_wrong_critic_biases_a_lambda_below_one(name: str) -> None:
    gradient = expected_gradient(name, one_batch=True, values="wrong", lam=0.0)
    assert (gradient - EXACT).abs().max() > 0.01


def test_a_mean_that_contains_the_episode_scales_the_gradient() -> None:
    """The bias the docs state: exactly (n - 1) / n."""
    scaled = EXACT * (SIZE - 1) / SIZE
    assert_gradient(expected_gradient("dr_grpo", one_batch=True), scaled)
    assert_gradient(expected_gradient("reinforce", baseline="batch"), scaled)
    assert_gradient(expected_gradient("gigpo", one_batch=True, normalise=False, step_weight=0.0), scaled)


def relative(values: list[float], epsilon: float) -> float:
    """The first of ``values`` less their mean, over their sample deviation plus ``epsilon``; 0 where all are equal."""
    return (values[0] - mean(values)) / (stdev(values) + epsilon) if len(set(values)) > 1 else 0.0


def white(values: list[float]) -> list[float]:
    """``values`` less their mean, over the root of their sample variance plus 1e-8; 0 where all are equal."""
    return [(one - mean(values)) / sqrt(variance(values) + 1e-8) if len(set(values)) > 1 else 0.0 for one in values]


def by_return(members: list[int]) -> list[float]:
    """``(R - mean) / (std + epsilon)``, the same for both turns."""
    return [relative([float(RETURNS[one]) for one in members], 1e-6)] * 2


def by_state(members: list[int]) -> list[float]:
    """:func:`by_return` plus, a turn, the same of the discounted returns to go of those who acted in its state."""
    if len({float(RETURNS[one]) for one in members}) == 1:
        return [0.0, 0.0]
    to_go = [[float(REWARDS[one, 0] + 0.95 * REWARDS[one, 1]), float(REWARDS[one, 1])] for one in members]
    companions = [one for one, member in enumerate(members) if EPISODES[member][0] == EPISODES[members[0]][0]]
    first, second = relative([one[0] for one in to_go], 1e-6), relative([to_go[one][1] for one in companions], 1e-6)
    return [by_return(members)[0] + first, by_return(members)[1] + second]


def by_batch(members: list[int]) -> list[float]:
    """Returns to go, whitened over all turns of the batch."""
    return white([float(value) for one in members for value in (RETURNS[one], REWARDS[one, 1])])[:2]


def by_group_and_batch(members: list[int]) -> list[float]:
    """Returns less the mean of the group, whitened over all turns of the batch (here of one group)."""
    centre = float(RETURNS[members].mean())
    return white([float(RETURNS[one]) - centre for one in members for _ in range(2)])[:2]


@pytest.mark.parametrize(
    ("name", "standardised"),
    [("grpo", by_return), ("gigpo", by_state), ("reinforce_pp", by_batch), ("reinforce_pp_baseline", by_group_and_batch)],
)
def test_division_by_a_deviation_follows_the_gradient_of_another_return(
    name: str, standardised: Callable[[list[int]], list[float]]
) -> None:
    """The bias the docs state: the policy gradient with, in place of the return of an episode, the mean over all companions
    it may meet of its return less the mean, over the deviation. Each term is worked out here without the estimators."""
    instead = torch.zeros(len(EPISODES), 2, dtype=torch.float64)
    for members in GROUPS:
        instead[members[0]] += PROBABILITY[list(members[1:])].prod() * torch.tensor(standardised(list(members)))
    gradient = expected_gradient(name)
    assert_gradient(gradient, torch.einsum("e,et,etp->p", PROBABILITY, instead, SCORES))
    cosine = float(torch.nn.functional.cosine_similarity(gradient, EXACT, dim=0))
    assert 0.9 < cosine < 0.9999  # another direction, but uphill
