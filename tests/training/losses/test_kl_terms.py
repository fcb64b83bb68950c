"""KL estimators and controllers."""

from __future__ import annotations

from math import exp, log
from typing import Literal

import pytest
import torch

from agentgym_rl.training.losses import AdaptiveKl, FixedKl, kl_per_token

NAN = float("nan")


def test_estimators_by_hand() -> None:
    log_probs, reference = torch.tensor([[log(0.5), log(0.2), NAN]]), torch.tensor([[log(0.25), log(0.4), NAN]])
    mask = torch.tensor([[True, True, False]])
    d = [log(2.0), -log(2.0)]
    for estimator, expected in (
        ("k1", d),
        ("k2", [log(2.0) ** 2 / 2] * 2),
        ("k3", [exp(-d[0]) - 1 + d[0], exp(-d[1]) - 1 + d[1]]),  # .5 - 1 + .693, 2 - 1 - .693
    ):
        assert kl_per_token(log_probs, reference, mask, estimator)[0].tolist() == pytest.approx([*expected, 0.0])


@pytest.mark.parametrize("estimator", ["k1", "k3"])
def test_k1_and_k3_are_unbiased(estimator: Literal["k1", "k3"]) -> None:
    p, q = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.2, 0.6])
    samples = kl_per_token(p.log()[None], q.log()[None], torch.ones(1, 3, dtype=torch.bool), estimator)[0]
    assert float((p * samples).sum()) == pytest.approx(float((p * (p / q).log()).sum()), abs=1e-6)


def mean_gradient(estimator: Literal["k1", "k2", "k3"]) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean gradient of the estimate as a loss over all samples, and the gradient of the KL itself."""
    logits = torch.tensor([0.3, -0.1, 0.6], dtype=torch.float64, requires_grad=True)
    q = torch.tensor([0.2, 0.2, 0.6], dtype=torch.float64)
    log_p = logits.log_softmax(0)
    samples = kl_per_token(log_p[None], q.log()[None], torch.ones(1, 3, dtype=torch.bool), estimator)[0]
    (estimated,) = torch.autograd.grad((log_p.exp().detach() * samples).sum(), logits, retain_graph=True)
    (exact,) = torch.autograd.grad((log_p.exp() * (log_p - q.log())).sum(), logits)
    return estimated, exact


def test_as_a_loss_k1_teaches_nothing_and_k2_the_kl() -> None:
    estimated, exact = mean_gradient("k1")
    assert estimated.abs().max() < 1e-6
    estimated, exact = mean_gradient("k2")
    torch.testing.assert_close(estimated, exact, rtol=1e-5, atol=1e-6)


def test_as_a_loss_k3_pulls_towards_the_reference() -> None:
    estimated, exact = mean_gradient("k3")
    assert float(torch.nn.functional.cosine_similarity(estimated, exact, dim=0)) > 0.9


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3"])
@pytest.mark.parametrize("gap", [-1e4, 1e4])
def test_finite_however_far_from_the_reference(estimator: Literal["k1", "k2", "k3"], gap: float) -> None:
    log_probs = torch.zeros(1, 1, requires_grad=True)
    kl = kl_per_token(log_probs, torch.tensor([[gap]]), torch.ones(1, 1, dtype=torch.bool), estimator)
    (grad,) = torch.autograd.grad(kl.sum(), log_probs)
    assert kl.isfinite().all()
    assert grad.isfinite().all()


def test_unknown_estimator_is_named() -> None:
    with pytest.raises(ValueError, match="k4"):
        kl_per_token(torch.zeros(1, 1), torch.zeros(1, 1), torch.ones(1, 1).bool(), "k4")  # type: ignore[arg-type]


def test_fixed_controller_stays() -> None:
    controller = FixedKl(0.1)
    controller.update(kl=5.0, episodes=100)
    assert controller.coefficient == 0.1


def test_adaptive_controller_steers_to_its_target() -> None:
    controller = AdaptiveKl(coefficient=0.1, target=0.02, window=100)
    controller.update(kl=0.022, episodes=50)  # 10 % above: 1 + .1 * .5
    assert controller.coefficient == pytest.approx(0.105)
    controller.update(kl=9.0, episodes=100)  # at most 20 %
    assert controller.coefficient == pytest.approx(0.126)
    controller.update(kl=0.0, episodes=100)
    assert controller.coefficient == pytest.approx(0.1008)


def test_a_step_of_more_episodes_than_the_window_keeps_the_sign() -> None:
    controller = AdaptiveKl(coefficient=0.1, target=0.02, window=10)
    controller.update(kl=0.0, episodes=512)  # 20 % down, not 1 - .2 * 51
    assert controller.coefficient == pytest.approx(0.08)
    controller.update(kl=9.0, episodes=512)
    assert controller.coefficient == pytest.approx(0.096)


def test_controller_goes_on_from_its_state() -> None:
    controller = AdaptiveKl(coefficient=0.1, target=0.02, window=100)
    controller.update(kl=1.0, episodes=10)
    resumed = AdaptiveKl(coefficient=0.1, target=0.02, window=100)
    resumed.load_state_dict(controller.state_dict())
    assert resumed == controller
