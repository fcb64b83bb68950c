"""Bad input to ``estimate`` is named, with the way out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from agentgym_rl.training.advantages import AdvantageInputs, estimate

INPUTS = AdvantageInputs(
    rewards=torch.tensor([[0.0, 1.0], [0.0, 0.0]]),
    action_mask=torch.tensor([[False, True], [True, True]]),
    turns=torch.tensor([[-1, 0], [0, 1]]),
    groups=torch.tensor([0, 0]),
)


def refused(name: str, inputs: AdvantageInputs = INPUTS, **settings: Any) -> str:
    with pytest.raises(ValueError, match=r"\S") as raised:
        estimate(name, inputs, **settings)
    return str(raised.value)


def test_unknown_names_get_the_nearest() -> None:
    assert "'grop'" in refused("grop")
    assert "'grpo'" in refused("grop")
    assert "'epsilon'" in refused("grpo", epsilom=1.0)
    assert "gae, turn_gae" in refused("zzz")


def test_a_value_out_of_range_is_named() -> None:
    message = refused("grpo", gamma=1.5)
    assert "gamma" in message
    assert "1.5" in message


@pytest.mark.parametrize(
    ("name", "needs"), [("gae", "values"), ("turn_gae", "values"), ("remax", "baselines"), ("gigpo", "states")]
)
def test_a_missing_input_is_named(name: str, needs: str) -> None:
    assert f"needs {needs}" in refused(name)


def test_running_baseline_and_bootstrap_need_their_inputs() -> None:
    assert "needs baselines" in refused("reinforce", baseline="running")
    assert "needs truncated" in refused("gae", replace(INPUTS, values=torch.zeros(2, 2)), bootstrap=True)


def test_a_reward_on_an_observation_is_never_dropped_silently() -> None:
    stray = replace(INPUTS, rewards=torch.tensor([[0.5, 0.0], [0.0, 0.0]]))
    assert "rewards[0, 0]=0.5" in refused("gae", replace(stray, values=torch.zeros(2, 2)))
    assert "rewards[0, 0]=0.5" in refused("grpo", stray)


def test_a_fault_may_hold_rewards_anywhere() -> None:
    stray = replace(INPUTS, rewards=torch.tensor([[0.5, 0.0], [0.0, 0.0]]), valid=torch.tensor([False, True]))
    assert not estimate("grpo", stray).advantages.any()


def test_shapes_must_agree() -> None:
    assert "turns has shape [2, 3]" in refused("grpo", replace(INPUTS, turns=torch.zeros(2, 3, dtype=torch.long)))
    assert "groups has shape [3]" in refused("grpo", replace(INPUTS, groups=torch.zeros(3)))
    assert "rewards has shape [2]" in refused("grpo", replace(INPUTS, rewards=torch.zeros(2)))


def test_a_turn_without_a_state_key_is_named() -> None:
    assert "states[1] has no key for turn 1" in refused("gigpo", replace(INPUTS, states=[["a"], ["a"]]))
    assert "states[0] has no key for turn 0" in refused("gigpo", replace(INPUTS, states=[[None], ["a", "b"]]))
