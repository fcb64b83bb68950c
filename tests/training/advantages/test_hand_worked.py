"""Every estimator on two episodes of one group, worked by hand.

========= ============================== ======== ===========
episode   action tokens (turn)           reward   value before
========= ============================== ======== ===========
0         1, 2 (turn 0); 4, 5 (turn 1)   .5, 1    .4 .6 .8 .2
1         1 (0); 3 (1); 5 (2)            0, 0, .5 .1 .3 .5
========= ============================== ======== ===========

A third episode is a fault full of NaN; the value of every observation token is 9. Neither may be seen.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, estimate

NAN = float("nan")
INPUTS = AdvantageInputs(
    rewards=torch.tensor([[0, 0, 0.5, 0, 0, 1.0, 0], [0, 0, 0, 0, 0, 0.5, 0], [NAN] * 7]),
    action_mask=torch.tensor([[0, 1, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1, 0], [1] * 7]).bool(),
    turns=torch.tensor([[-1, 0, 0, -1, 1, 1, -1], [-1, 0, -1, 1, -1, 2, -1], [0] * 7]),
    groups=torch.tensor([7, 7, 7]),
    values=torch.tensor([[9, 0.4, 0.6, 9, 0.8, 0.2, 9], [9, 0.1, 9, 0.3, 9, 0.5, 9], [NAN] * 7]),
    valid=torch.tensor([True, True, False]),
    truncated=torch.tensor([False, True, True]),
    states=[["s", "t"], ["s", "t", "s"], []],
    baselines=torch.tensor([1.0, 1.0, NAN]),
)


def advantages(name: str, **settings: Any) -> Tensor:
    return estimate(name, INPUTS, **settings).advantages


def table(first: list[float], second: list[float]) -> Tensor:
    """The numbers of the action tokens, at their places."""
    expected = torch.zeros(3, 7)
    expected[0, [1, 2, 4, 5]] = torch.tensor(first)
    expected[1, [1, 3, 5]] = torch.tensor(second)
    return expected


def check(actual: Tensor, first: list[float], second: list[float]) -> None:
    torch.testing.assert_close(actual, table(first, second), rtol=1e-5, atol=1e-6)


def test_gae() -> None:
    # gamma = lam = .5, so A[t] = d[t] + .25 A[t+1]
    # episode 0: d3 = 1 - .2            =  .8   A3 =  .8
    #            d2 = 0 + .5 * .2 - .8  = -.7   A2 = -.7 + .25 *  .8   = -.5
    #            d1 = .5 + .5 * .8 - .6 =  .3   A1 =  .3 + .25 * -.5   =  .175
    #            d0 = 0 + .5 * .6 - .4  = -.1   A0 = -.1 + .25 *  .175 = -.05625
    # episode 1: d2 = .5 - .5           =  0    A2 =  0   (cut by the horizon: no bootstrap)
    #            d1 = 0 + .5 * .5 - .3  = -.05  A1 = -.05
    #            d0 = 0 + .5 * .3 - .1  =  .05  A0 =  .05 + .25 * -.05 =  .0375
    result = estimate("gae", INPUTS, gamma=0.5, lam=0.5)
    first, second = [-0.05625, 0.175, -0.5, 0.8], [0.0375, -0.05, 0.0]
    check(result.advantages, first, second)
    assert result.returns is not None
    check(result.returns, [-0.05625 + 0.4, 0.175 + 0.6, -0.5 + 0.8, 0.8 + 0.2], [0.0375 + 0.1, -0.05 + 0.3, 0.5])


def test_gae_discounts_where_a_turn_ends() -> None:
    # gamma = lam = 1, turn_gamma = .5: tokens of a turn are not discounted, turns are
    # episode 0: A = G - V; G = .5 + .5 * 1 = 1 in turn 0, 1 in turn 1
    # episode 1: G = .125, .25, .5
    check(advantages("gae", turn_gamma=0.5), [0.6, 0.4, 0.2, 0.8], [0.025, -0.05, 0.0])


def test_gae_bootstraps_only_when_asked() -> None:
    # gamma = lam = .5; episode 1 was cut: d2 = .5 + .5 * .5 - .5 = .25; A1 = -.05 + .25 * .25; A0 = .05 + .25 * .0125
    check(advantages("gae", gamma=0.5, lam=0.5, bootstrap=True), [-0.05625, 0.175, -0.5, 0.8], [0.053125, 0.0125, 0.25])


def test_turn_gae() -> None:
    # gamma = lam = .5; V of a turn is that of its first token
    # episode 0: d1 = 1 - .8 = .2;  d0 = .5 + .5 * .8 - .4 = .5;  A0 = .5 + .25 * .2 = .55
    # episode 1: one token a turn, as gae
    result = estimate("turn_gae", INPUTS, gamma=0.5, lam=0.5)
    check(result.advantages, [0.55, 0.55, 0.2, 0.2], [0.0375, -0.05, 0.0])
    assert result.returns is not None
    check(result.returns, [0.55 + 0.4] * 2 + [0.2 + 0.8] * 2, [0.1375, 0.25, 0.5])


def test_turn_gae_bootstraps_only_when_asked() -> None:
    check(advantages("turn_gae", gamma=0.5, lam=0.5, bootstrap=True), [0.55, 0.55, 0.2, 0.2], [0.053125, 0.0125, 0.25])


@pytest.mark.parametrize("name", ["gae", "turn_gae"])
def test_whitening_is_asked_for(name: str) -> None:
    entries = {
        "gae": [(0, 1), (0, 2), (0, 4), (0, 5), (1, 1), (1, 3), (1, 5)],
        "turn_gae": [(0, 1), (0, 4), (1, 1), (1, 3), (1, 5)],
    }
    rows, columns = zip(*entries[name], strict=True)
    white = advantages(name, whiten=True)[list(rows), list(columns)]
    assert white.mean().abs() < 1e-6
    assert abs(float(white.std()) - 1) < 1e-5


def test_grpo() -> None:
    # R = 1.5 and .5; mean 1; sample std = sqrt((.25 + .25) / 1) = .70711
    a = 0.5 / (sqrt(0.5) + 1e-6)
    check(advantages("grpo"), [a] * 4, [-a] * 3)
    check(advantages("grpo", epsilon=0.5), [0.5 / (sqrt(0.5) + 0.5)] * 4, [-0.5 / (sqrt(0.5) + 0.5)] * 3)


def test_dr_grpo() -> None:
    check(advantages("dr_grpo"), [0.5] * 4, [-0.5] * 3)


def test_group_returns_can_be_discounted_between_turns() -> None:
    # R0 = .5 + .5 * 1 = 1; R1 = .25 * .5 = .125; mean .5625
    check(advantages("dr_grpo", gamma=0.5), [0.4375] * 4, [-0.4375] * 3)


def test_rloo() -> None:
    # the other's return is the baseline: 1.5 - .5, .5 - 1.5
    check(advantages("rloo"), [1.0] * 4, [-1.0] * 3)


def test_reinforce() -> None:
    # gamma = .5: G = 1, 1 | .125, .25, .5 by turn; baselines: mean return (1 + .125) / 2, the one passed in, none
    for baseline, b in (("batch", 0.5625), ("running", 1.0), ("none", 0.0)):
        check(advantages("reinforce", gamma=0.5, baseline=baseline), [1 - b] * 4, [0.125 - b, 0.25 - b, 0.5 - b])


def test_reinforce_pp() -> None:
    # G of the seven tokens: 1.5 1.5 1 1 | .5 .5 .5; mean 6.5 / 7; variance over 6
    returns = [1.5, 1.5, 1.0, 1.0, 0.5, 0.5, 0.5]
    mean = 6.5 / 7
    std = sqrt(sum((g - mean) ** 2 for g in returns) / 6)
    white = [(g - mean) / std for g in returns]
    check(advantages("reinforce_pp"), white[:4], white[4:])


def test_reinforce_pp_baseline() -> None:
    # R - mean of the group: .5 on four tokens, -.5 on three; mean .5 / 7; variance over 6
    mean = 0.5 / 7
    std = sqrt((4 * (0.5 - mean) ** 2 + 3 * (-0.5 - mean) ** 2) / 6)
    check(advantages("reinforce_pp_baseline"), [(0.5 - mean) / std] * 4, [(-0.5 - mean) / std] * 3)


def test_remax() -> None:
    # the greedy return is 1 for both
    check(advantages("remax"), [0.5] * 4, [-0.5] * 3)


def test_gigpo() -> None:
    # gamma = .5: returns to go  episode 0: s 1, t 1;  episode 1: s .125, t .25, s .5
    # state s: 1, .125, .5: mean 1.625 / 3;  state t: 1, .25: mean .625
    s, t = 1.625 / 3, 0.625
    plain = {"gamma": 0.5, "normalise": False}
    check(
        advantages("gigpo", **plain),
        [0.5 + 1 - s] * 2 + [0.5 + 1 - t] * 2,
        [-0.5 + 0.125 - s, -0.5 + 0.25 - t, -0.5 + 0.5 - s],
    )
    std_s = sqrt(((1 - s) ** 2 + (0.125 - s) ** 2 + (0.5 - s) ** 2) / 2)
    std_t = sqrt(2 * 0.375**2)
    e = 0.5 / sqrt(0.5)
    check(
        advantages("gigpo", gamma=0.5, step_weight=2.0, epsilon=0.0),
        [e + 2 * (1 - s) / std_s] * 2 + [e + 2 * (1 - t) / std_t] * 2,
        [-e + 2 * (0.125 - s) / std_s, -e + 2 * (0.25 - t) / std_t, -e + 2 * (0.5 - s) / std_s],
    )


def test_gigpo_with_states_met_once_is_grpo() -> None:
    lonely = AdvantageInputs(
        INPUTS.rewards,
        INPUTS.action_mask,
        INPUTS.turns,
        INPUTS.groups,
        valid=INPUTS.valid,
        states=[["a", "b"], ["c", "d", "e"], []],
    )
    assert torch.equal(estimate("gigpo", lonely).advantages, advantages("grpo"))


def test_gigpo_compares_states_inside_a_group_only() -> None:
    groups = torch.tensor([1, 2, 2])
    apart = AdvantageInputs(
        INPUTS.rewards, INPUTS.action_mask, INPUTS.turns, groups, valid=INPUTS.valid, states=INPUTS.states
    )
    assert not estimate("gigpo", apart).advantages.any()
