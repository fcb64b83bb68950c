"""Agreement with TRL to 1e-6; ``golden/make_golden_trl.py`` and ``make_golden_trl_ppo.py`` made the numbers.

They say where TRL defines something else; the settings here are those that make the two the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, estimate
from agentgym_rl.training.algorithms.resolve import resolve
from agentgym_rl.training.algorithms.settings import AlgorithmSettings
from agentgym_rl.training.losses import LossInputs, aggregation_weights, correction_weights, ppo_clip, value_losses

FOLDER = Path(__file__).parent / "golden"
TRL, PPO = (json.loads((FOLDER / name).read_text()) for name in ("trl.json", "trl_ppo.json"))
BATCH = {name: torch.tensor(values) for name, values in json.loads((FOLDER / "verl.json").read_text())["inputs"].items()}
MASK = BATCH["mask"].bool()
EPISODE_ADVANTAGES = BATCH["advantages"][:, :1].expand(6, 10)


def close(actual: Tensor | None, expected: Any) -> None:
    assert actual is not None
    torch.testing.assert_close(actual, torch.tensor(expected), rtol=1e-6, atol=1e-6)


def advantage_inputs(rewards: str, mask: str, faults: list[int]) -> AdvantageInputs:
    action = BATCH[mask].bool()
    first = action & ~torch.nn.functional.pad(action[:, :-1], (1, 0))
    valid = torch.ones(6, dtype=torch.bool)
    valid[faults] = False
    return AdvantageInputs(
        rewards=BATCH[rewards],
        action_mask=action,
        turns=torch.where(action, first.cumsum(1) - 1, -1),
        groups=BATCH["groups"],
        values=BATCH["values"],
        valid=valid,
    )


@pytest.mark.parametrize("case", TRL["advantages"])
def test_estimators(case: str) -> None:
    name, _, fault = case.partition(", ")
    settings = {"epsilon": 1e-4} if name == "grpo" else {}
    inputs = advantage_inputs("rewards", "mask", TRL["inputs"]["faults"] if fault else [])
    expected = torch.tensor(TRL["advantages"][case])[:, None] * MASK
    close(estimate(name, inputs, **settings).advantages, expected.tolist())


def test_gae() -> None:
    result = estimate("gae", advantage_inputs("terminal", "single", []), gamma=0.97, lam=0.9, whiten=True)
    close(result.advantages, PPO["advantages"])
    close(result.returns, PPO["returns"])


CLIP = {"clip_low": 0.2, "clip_high": 0.28}
LOSSES: dict[str, dict[str, Any]] = {
    "grpo": {"name": "grpo", "loss": CLIP},
    "bnpo": {"name": "grpo", "loss": {**CLIP, "aggregation": "token_mean"}},
    "dr_grpo": {"name": "dr_grpo", "loss": {**CLIP, "fixed_length": 10}},
    "dapo": {"name": "dapo", "loss": CLIP},
    "delta": {"name": "dapo", "loss": {**CLIP, "dual_clip": 1.5}},
    "cispo": {"name": "cispo", "loss": {"clip_high": 0.4}},
    "gspo": {"name": "gspo", "loss": {"clip_low": 0.02, "clip_high": 0.03}},
    "k3": {"name": "grpo", "loss": CLIP, "kl": {"coefficient": 0.3, "placement": "loss", "estimator": "k3"}},
    "entropy": {"name": "dapo", "loss": CLIP, "entropy_coefficient": 0.2},
}


def test_no_loss_is_left_out() -> None:
    assert set(LOSSES) == set(TRL["losses"])


@pytest.mark.parametrize("case", LOSSES)
def test_losses(case: str) -> None:
    algorithm = resolve(AlgorithmSettings(**LOSSES[case]))
    log_probs = BATCH["new"].clone().requires_grad_()
    loss = algorithm.policy_loss(
        LossInputs(
            log_probs,
            BATCH["old"],
            EPISODE_ADVANTAGES if case == "gspo" else BATCH["advantages"],
            MASK,
            algorithm.weights(MASK),
            reference_log_probs=BATCH["reference"],
            entropy=torch.tensor(TRL["inputs"]["entropies"]),
        )
    ).loss
    loss.backward()
    close(loss.detach(), TRL["losses"][case]["loss"])
    close(log_probs.grad, TRL["losses"][case]["gradient"])


def test_first_gradient_of_rloo() -> None:
    algorithm = resolve(AlgorithmSettings(name="rloo", loss={"fixed_length": 1}))
    log_probs = BATCH["new"].clone().requires_grad_()
    inputs = LossInputs(log_probs, BATCH["new"], EPISODE_ADVANTAGES, MASK, algorithm.weights(MASK))
    algorithm.policy_loss(inputs).loss.backward()
    close(log_probs.grad, TRL["rloo_gradient"])


def test_ppo_losses() -> None:
    log_probs, values = BATCH["new"].clone().requires_grad_(), BATCH["values"].clone().requires_grad_()
    weights = aggregation_weights("token_mean", MASK)
    policy = (weights * ppo_clip(LossInputs(log_probs, BATCH["old"], BATCH["advantages"], MASK, weights)).losses).sum()
    value = (weights * value_losses(values, BATCH["old_values"], BATCH["returns"], MASK, clip=0.2)[0]).sum()
    (policy + value).backward()
    close(policy.detach(), PPO["policy"]["loss"])
    close(log_probs.grad, PPO["policy"]["gradient"])
    close(value.detach(), PPO["value"]["loss"])
    close(values.grad, PPO["value"]["gradient"])


@pytest.mark.parametrize("case", TRL["corrections"])
def test_corrections(case: str) -> None:
    level, kind = case.split("/")
    floor = {"floor": 0.8} if kind == "mask" else {}
    engine = torch.tensor(TRL["inputs"]["engine"])
    weights = correction_weights(BATCH["old"], engine, MASK, kind=kind, level=level, cap=1.25, **floor)  # type: ignore[arg-type]
    close(weights, TRL["corrections"][case])
