"""Agreement with verl to 1e-6; ``golden/make_golden.py`` made the numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, estimate
from agentgym_rl.training.losses import LossInputs, aggregation_weights, cispo, gspo, kl_per_token, ppo_clip, value_losses
from agentgym_rl.training.losses.aggregation import Aggregation

GOLDEN = json.loads((Path(__file__).parent / "golden" / "verl.json").read_text())
INPUTS = {name: torch.tensor(values) for name, values in GOLDEN["inputs"].items()}
MASK = INPUTS["mask"].bool()


def close(actual: Tensor, expected: Any) -> None:
    torch.testing.assert_close(actual, torch.tensor(expected), rtol=1e-6, atol=1e-6)


def advantage_inputs(rewards: str, mask: str) -> AdvantageInputs:
    action = INPUTS[mask].bool()
    first = action & ~torch.nn.functional.pad(action[:, :-1], (1, 0))
    return AdvantageInputs(
        rewards=INPUTS[rewards],
        action_mask=action,
        turns=torch.where(action, first.cumsum(1) - 1, -1),
        groups=INPUTS["groups"],
        values=INPUTS["values"],
        baselines=INPUTS["baselines"],
    )


@pytest.mark.parametrize("name", ["grpo", "dr_grpo", "rloo", "reinforce_pp_baseline"])
def test_estimators_over_turns(name: str) -> None:
    close(estimate(name, advantage_inputs("rewards", "mask")).advantages, GOLDEN["estimators"][name])


@pytest.mark.parametrize("name", ["reinforce_pp", "remax"])
def test_estimators_on_one_message(name: str) -> None:
    close(estimate(name, advantage_inputs("terminal", "single")).advantages, GOLDEN["estimators"][name])


def test_gae() -> None:
    result = estimate("gae", advantage_inputs("rewards", "mask"), gamma=0.97, lam=0.9, whiten=True)
    close(result.advantages, GOLDEN["estimators"]["gae"])
    assert result.returns is not None
    close(result.returns, GOLDEN["estimators"]["gae_returns"])


AGGREGATIONS: dict[str, tuple[Aggregation, float | None]] = {
    "token-mean": ("token_mean", None),
    "seq-mean-token-mean": ("episode_mean", None),
    "seq-mean-token-sum-norm": ("fixed_length", 10),
}


@pytest.mark.parametrize("case", GOLDEN["losses"])
def test_policy_losses(case: str) -> None:
    policy, aggregation = case.split("/")
    golden = GOLDEN["losses"][case]
    mode, fixed_length = AGGREGATIONS[aggregation]
    log_probs = INPUTS["new"].clone().requires_grad_()
    weights = aggregation_weights(mode, MASK, fixed_length)
    data = LossInputs(log_probs, INPUTS["old"], INPUTS["advantages"], MASK, weights)
    bounds = {"clip_low": golden["low"], "clip_high": golden["high"]}
    losses = {
        "vanilla": lambda: ppo_clip(data, dual_clip=3.0, **bounds),
        "cispo": lambda: cispo(data, **bounds),
        "gspo": lambda: gspo(data, **bounds),
    }[policy]().losses
    loss = (weights * losses).sum()
    loss.backward()
    close(loss.detach(), golden["loss"])
    assert log_probs.grad is not None
    close(log_probs.grad, golden["gradient"])


def test_value_loss() -> None:
    losses, _ = value_losses(INPUTS["values"], INPUTS["old_values"], INPUTS["returns"], MASK, clip=0.2)
    close((aggregation_weights("token_mean", MASK) * losses).sum(), GOLDEN["value"])


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
def test_kl(estimator: Any) -> None:
    close(kl_per_token(INPUTS["new"], INPUTS["reference"], MASK, estimator), GOLDEN["kl"][estimator])
