"""Policy losses on tokens worked by hand, and what padding and NaN may not reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, log

import pytest
import torch
from torch import Tensor

from agentgym_rl.training.losses import LossInputs, cispo, gspo, policy_gradient, ppo_clip
from agentgym_rl.training.losses.policy import PerToken

NAN = float("nan")


def inputs(ratios: list[list[float]], advantages: list[list[float]], log_prob: float = -1.0) -> LossInputs:
    """Tokens with the given ratios to the old policy; ratio 0 marks a token outside the mask, full of NaN."""
    ratio = torch.tensor(ratios)
    mask = ratio > 0
    log_probs = torch.where(mask, log_prob, NAN)
    return LossInputs(
        log_probs=log_probs.requires_grad_(),
        old_log_probs=log_probs.detach() - ratio.log(),
        advantages=torch.where(mask, torch.tensor(advantages), NAN),
        mask=mask,
        weights=mask.float(),
    )


def gradient(loss: Callable[[LossInputs], PerToken], data: LossInputs) -> Tensor:
    (grad,) = torch.autograd.grad(loss(data).losses.sum(), data.log_probs)
    return grad


def close(actual: Tensor, expected: list[list[float]]) -> None:
    torch.testing.assert_close(actual.detach(), torch.tensor(expected), rtol=1e-5, atol=1e-6)


def test_ppo_clip() -> None:
    data = inputs([[1.1, 1.5, 0.5, 1.5, 0.5, 0.0]], [[2.0, 2.0, 2.0, -1.0, -1.0, 5.0]])
    result = ppo_clip(data, clip_low=0.2, clip_high=0.2)
    # inside: -2 * 1.1; A > 0 is cut at 1.2, not below; A < 0 is cut at .8, not above
    close(result.losses, [[-2.2, -2.4, -1.0, 1.5, 0.8, 0.0]])
    # d(-A r)/d log pi = -A r, and 0 where cut
    close(gradient(ppo_clip, data), [[-2.2, 0.0, -1.0, 1.5, 0.0, 0.0]])
    assert [float(x) for x in result.metrics["ratio/clipped"]] == [2.0, 5.0]
    assert [float(x) for x in result.metrics["ratio/mean"]] == pytest.approx([1.1 + 1.5 + 0.5 + 1.5 + 0.5, 5.0])


def test_clip_higher_and_lower_are_separate() -> None:
    data = inputs([[1.25, 1.4, 0.85]], [[1.0, 1.0, -1.0]])
    close(ppo_clip(data, clip_low=0.1, clip_high=0.28).losses, [[-1.25, -1.28, 0.9]])


def test_dual_clip_bounds_negative_advantages_only() -> None:
    data = inputs([[5.0, 5.0, 2.0]], [[-1.0, 1.0, -1.0]])
    result = ppo_clip(data, dual_clip=3.0)
    close(result.losses, [[3.0, -1.2, 2.0]])
    close(gradient(lambda d: ppo_clip(d, dual_clip=3.0), data), [[0.0, 0.0, 2.0]])
    assert [float(x) for x in result.metrics["ratio/clipped"]] == [2.0, 3.0]


def test_gspo_has_one_ratio_an_episode() -> None:
    # episode 0: log ratios log 1.2, log 0.9: s = sqrt(1.2 * .9) = sqrt(1.08); episode 1: s = 1.5, cut at 1.2
    data = inputs([[1.2, 0.0, 0.9], [1.5, 0.0, 1.5]], [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    s = 1.08**0.5
    result = gspo(data, clip_low=0.2, clip_high=0.2)
    close(result.losses, [[-s, 0, -s], [-1.2, 0, -1.2]])
    # mean over the episode of the token gradients = d(-s)/d log pi_t = -s / 2
    close(gradient(lambda d: gspo(d, clip_low=0.2, clip_high=0.2), data) / 2, [[-s / 2, 0, -s / 2], [0, 0, 0]])


def test_gspo_gradient_is_that_of_the_sequence_objective() -> None:
    data = inputs([[1.2, 0.0, 0.9, 1.05]], [[0.7, 0.0, 0.7, 0.7]])
    log_ratio = torch.where(data.mask, data.log_probs - data.old_log_probs, 0.0)
    objective = -0.7 * (log_ratio.sum() / 3).exp()
    (expected,) = torch.autograd.grad(objective, data.log_probs)
    torch.testing.assert_close(gradient(lambda d: gspo(d, clip_low=0.5, clip_high=0.5), data) / 3, expected)


def test_cispo_caps_the_weight_and_keeps_the_gradient() -> None:
    data = inputs([[1.1, 9.0, 0.1, 0.0]], [[2.0, 1.0, -1.0, 1.0]], log_prob=-0.5)
    close(cispo(data, clip_high=4.0).losses, [[1.1, 2.5, -0.05, 0.0]])  # -w A log pi
    close(gradient(lambda d: cispo(d, clip_high=4.0), data), [[-2.2, -5.0, 0.1, 0.0]])  # -w A
    close(gradient(lambda d: cispo(d, clip_low=0.5, clip_high=4.0), data), [[-2.2, -5.0, 0.5, 0.0]])
    assert float(cispo(data, clip_high=4.0).metrics["ratio/clipped"][0]) == 1


def test_policy_gradient() -> None:
    data = inputs([[1.1, 0.0, 3.0]], [[2.0, 1.0, -1.0]], log_prob=-0.5)
    close(policy_gradient(data).losses, [[1.0, 0.0, -0.5]])
    close(gradient(policy_gradient, data), [[-2.0, 0.0, 1.0]])


LOSSES: dict[str, Callable[[LossInputs], PerToken]] = {
    "ppo_clip": ppo_clip,
    "dual_clip": lambda data: ppo_clip(data, dual_clip=3.0),
    "gspo": gspo,
    "cispo": cispo,
    "policy_gradient": policy_gradient,
}


@pytest.mark.parametrize("name", LOSSES)
def test_on_policy_every_gradient_is_the_policy_gradient(name: str) -> None:
    data = inputs([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]], [[2.0, -1.0, 0.0], [0.5, 0.0, -3.0]])
    close(gradient(LOSSES[name], data), [[-2.0, 1.0, 0.0], [-0.5, 0.0, 3.0]])


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("gap", [-1e4, 1e4])
@pytest.mark.parametrize("advantage", [-1e4, 1e4])
def test_finite_however_far_the_policy_has_moved(name: str, gap: float, advantage: float) -> None:
    data = replace(
        inputs([[1.0, 0.0]], [[advantage, 0.0]]), old_log_probs=torch.tensor([[-1.0 - gap, NAN]]), weights=torch.ones(1, 2)
    )
    assert LOSSES[name](data).losses.isfinite().all()
    assert gradient(LOSSES[name], data).isfinite().all()


@pytest.mark.parametrize("name", LOSSES)
def test_computed_in_float32_whatever_comes_in(name: str) -> None:
    data = inputs([[1.0, 1.1]], [[1.0, -1.0]])
    half = replace(data, log_probs=data.log_probs.detach().bfloat16(), old_log_probs=data.old_log_probs.bfloat16())
    assert LOSSES[name](half).losses.dtype == torch.float32


@pytest.mark.parametrize("name", LOSSES)
def test_rows_and_padding_do_not_touch_each_other(name: str) -> None:
    data = inputs([[1.2, 0.0, 0.7], [1.5, 0.0, 0.4]], [[1.0, 0.0, -1.0], [2.0, 0.0, -2.0]])
    whole = LOSSES[name](data).losses
    for row in range(2):
        fields = {
            key: getattr(data, key)[row : row + 1] for key in ("log_probs", "old_log_probs", "advantages", "mask", "weights")
        }
        padded = {
            key: torch.nn.functional.pad(value, (2, 1), value=0 if key == "mask" else NAN) for key, value in fields.items()
        }
        torch.testing.assert_close(LOSSES[name](LossInputs(**padded)).losses[:, 2:-1], whole[row : row + 1])


def test_ratio_is_exp_of_the_difference() -> None:
    data = replace(inputs([[1.0]], [[1.0]]), old_log_probs=torch.tensor([[-1.0 - log(1.1)]]))
    assert float(ppo_clip(data).metrics["ratio/mean"][0]) == pytest.approx(exp(log(1.1)))
