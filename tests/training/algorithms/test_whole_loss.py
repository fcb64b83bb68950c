"""The loss an algorithm makes of a mini-batch: its terms, and that it does not depend on micro-batches."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs
from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.algorithms.presets import PRESETS
from agentgym_rl.training.algorithms.resolve import resolve
from agentgym_rl.training.algorithms.settings import AlgorithmSettings
from agentgym_rl.training.losses import LossInputs, add_tallies, aggregation_weights, means

EVERYTHING: dict[str, Any] = {
    "kl": {"coefficient": 0.3, "placement": "loss", "estimator": "k3"},
    "entropy_coefficient": 0.2,
    "correction": {"kind": "truncate", "cap": 1.2},
    "forced_tokens": 0.1,
}


def mini_batch(algorithm: Algorithm, seed: int = 0, episodes: int = 5, tokens: int = 7) -> LossInputs:
    generator = torch.Generator().manual_seed(seed)

    def draw(scale: float = 0.3, shift: float = -1.0) -> Tensor:
        return torch.randn(episodes, tokens, generator=generator) * scale + shift

    action = torch.rand(episodes, tokens, generator=generator) < 0.8
    mask = action & (torch.rand(episodes, tokens, generator=generator) < 0.6)
    forced = action & ~mask
    action[1] = mask[1] = forced[1] = False  # a fault
    return LossInputs(
        log_probs=draw(),
        old_log_probs=draw(),
        advantages=draw(1.0, 0.0),
        mask=mask,
        weights=algorithm.weights(mask),
        engine_log_probs=draw(),
        reference_log_probs=draw(),
        entropy=draw(shift=1.0),
        forced_log_probs=draw(),
        forced_mask=forced,
        forced_weights=aggregation_weights("token_mean", forced),
        values=draw(),
        old_values=draw(),
        returns=draw(),
        value_mask=action,
        value_weights=aggregation_weights("token_mean", action),
    )


def part(inputs: LossInputs, rows: Any) -> LossInputs:
    return LossInputs(*(getattr(inputs, field.name)[rows] for field in fields(inputs)))


def gradients(algorithm: Algorithm, inputs: LossInputs, parts: list[Any]) -> tuple[float, Tensor, dict[str, float]]:
    """Loss, gradient and metrics of the mini-batch, accumulated over its parts."""
    leaves = {name: getattr(inputs, name).clone().requires_grad_() for name in ("log_probs", "entropy", "forced_log_probs")}
    inputs = replace(inputs, **leaves)
    outputs = [algorithm.policy_loss(part(inputs, rows)) for rows in parts]
    for output in outputs:
        output.loss.backward()
        assert output.loss.item() == pytest.approx(sum(term.item() for term in output.terms.values()), abs=1e-5)
    gradient = torch.stack([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves.values()])
    return float(sum(output.loss.detach() for output in outputs)), gradient, means(add_tallies(o.metrics for o in outputs))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("aggregation", ["token_mean", "episode_mean", "fixed_length"])
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 1000), cut=st.integers(0, 5), padding=st.integers(0, 3))
def test_micro_batches_order_and_padding_change_nothing(
    name: str, aggregation: str, seed: int, cut: int, padding: int
) -> None:
    loss = {"aggregation": aggregation, **({"fixed_length": 3} if aggregation == "fixed_length" else {})}
    algorithm = resolve(AlgorithmSettings(name=name, loss=loss, **EVERYTHING))
    inputs = mini_batch(algorithm, seed)
    whole, gradient, metrics = gradients(algorithm, inputs, [slice(None)])
    order = torch.randperm(5, generator=torch.Generator().manual_seed(seed))
    padded = LossInputs(*(torch.nn.functional.pad(getattr(inputs, field.name), (0, padding)) for field in fields(inputs)))
    cut_loss, cut_gradient, cut_metrics = gradients(algorithm, padded, [order[:cut], order[cut:]])
    assert cut_loss == pytest.approx(whole, rel=1e-5, abs=1e-6)
    torch.testing.assert_close(cut_gradient[..., :7], gradient, rtol=1e-5, atol=1e-6)
    assert cut_metrics == pytest.approx(metrics, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", PRESETS)
def test_a_fault_full_of_nan_is_as_good_as_gone(name: str) -> None:
    algorithm = resolve(AlgorithmSettings(name=name, **EVERYTHING))
    inputs = mini_batch(algorithm)
    poisoned = LossInputs(
        *(
            value if value.dtype == torch.bool else value.index_fill(0, torch.tensor([1]), float("nan"))
            for value in (getattr(inputs, field.name) for field in fields(inputs))
        )
    )
    keep = torch.tensor([0, 2, 3, 4])
    loss, gradient, metrics = gradients(algorithm, poisoned, [slice(None)])
    expected, expected_gradient, expected_metrics = gradients(algorithm, part(inputs, keep), [slice(None)])
    assert loss == pytest.approx(expected, rel=1e-5)
    torch.testing.assert_close(gradient[:, keep], expected_gradient)
    assert not gradient[:, 1].any()
    assert metrics == pytest.approx(expected_metrics)


def test_terms_by_hand() -> None:
    algorithm = resolve(
        AlgorithmSettings(
            loss={"aggregation": "token_mean"},
            kl={"coefficient": 0.5, "estimator": "k2"},
            entropy_coefficient=0.1,
            forced_tokens=2.0,
        )
    )
    one = torch.ones(1, 2)
    mask = torch.tensor([[True, False]])
    inputs = LossInputs(
        log_probs=-one, old_log_probs=-one, advantages=3 * one, mask=mask, weights=algorithm.weights(mask),
        reference_log_probs=-2 * one, entropy=0.7 * one, forced_log_probs=-4 * one, forced_mask=~mask,
        forced_weights=(~mask).float(),
    )  # fmt: skip
    output = algorithm.policy_loss(inputs)
    expected = {"loss/policy": -3.0, "loss/kl": 0.5 * 0.5, "loss/entropy": -0.07, "loss/forced": 8.0}
    assert {name: float(term) for name, term in output.terms.items()} == pytest.approx(expected)
    assert float(output.loss) == pytest.approx(sum(expected.values()))
    assert float(algorithm.policy_loss(inputs, kl_coefficient=1.0).terms["loss/kl"]) == pytest.approx(0.5)
    assert means(output.metrics) == pytest.approx(
        {"ratio/mean": 1.0, "ratio/clipped": 0.0, "kl/reference": 0.5, "entropy": 0.7}
    )


def test_correction_scales_the_policy_term_alone() -> None:
    algorithm = resolve(
        AlgorithmSettings(loss={"aggregation": "token_mean"}, correction={"cap": 2.0}, entropy_coefficient=1.0)
    )
    one, mask = torch.ones(1, 1), torch.ones(1, 1).bool()
    inputs = LossInputs(-one, -one, one, mask, one, engine_log_probs=-one - torch.tensor(1.5).log(), entropy=one)
    output = algorithm.policy_loss(inputs)
    assert float(output.terms["loss/policy"]) == pytest.approx(-1.5)
    assert float(output.terms["loss/entropy"]) == -1.0
    assert means(output.metrics)["ratio/correction"] == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("overrides", "missing"),
    [
        ({"kl": {"coefficient": 0.1}}, "reference_log_probs"),
        ({"entropy_coefficient": 0.1}, "entropy"),
        ({"correction": {}}, "engine_log_probs"),
        ({"forced_tokens": 0.1}, "forced_log_probs"),
    ],
)
def test_a_tensor_the_recipe_needs_is_asked_for(overrides: dict[str, Any], missing: str) -> None:
    one = torch.ones(1, 1)
    with pytest.raises(ValueError, match=missing):
        resolve(AlgorithmSettings(**overrides)).policy_loss(LossInputs(-one, -one, one, one.bool(), one))


def test_value_loss_is_weighted_over_its_own_mask() -> None:
    algorithm = resolve(AlgorithmSettings(name="ppo", critic={"clip": None}))
    inputs = mini_batch(algorithm)
    output = algorithm.value_loss(inputs)
    assert inputs.values is not None
    assert inputs.returns is not None
    assert inputs.value_mask is not None
    expected = (inputs.values - inputs.returns)[inputs.value_mask].square().mean() / 2
    torch.testing.assert_close(output.loss, expected)
    with pytest.raises(ValueError, match="no critic"):
        resolve(AlgorithmSettings()).value_loss(inputs)


EPISODES = AdvantageInputs(
    rewards=torch.tensor([[0, 0, 1.0, 0, 0], [0, 0, 0, 0, 2.0]]),
    action_mask=torch.tensor([[1, 1, 1, 0, 0], [1, 1, 0, 1, 1]]).bool(),
    turns=torch.tensor([[0, 0, 1, -1, -1], [0, 0, -1, 1, 2]]),
    groups=torch.tensor([0, 0]),
)


def test_kl_in_the_reward_is_taken_off_sampled_tokens() -> None:
    algorithm = resolve(AlgorithmSettings(name="rloo", kl={"coefficient": 0.5}))
    sampled = torch.tensor([[1, 0, 1, 0, 0], [1, 0, 0, 0, 1]]).bool()
    shaped = algorithm.shape_rewards(
        replace(EPISODES, valid=torch.tensor([True, False])),
        horizon=3,
        sampled_mask=sampled,
        log_probs=torch.full((2, 5), -1.0),
        reference_log_probs=torch.full((2, 5), -1.5),
    )
    # k1 = .5 at each sampled token of a valid episode
    assert shaped.rewards.tolist() == [[-0.25, 0, 0.75, 0, 0], [0] * 5]
    assert not resolve(AlgorithmSettings(name="rloo")).needs_reference


def test_overlong_penalty_sits_on_the_last_action_token() -> None:
    algorithm = resolve(AlgorithmSettings(overlong={"buffer": 2}))
    shaped = algorithm.shape_rewards(EPISODES, horizon=3, sampled_mask=EPISODES.action_mask)
    assert shaped.rewards.tolist() == [[0, 0, 0.5, 0, 0], [0, 0, 0, 0, 1.0]]  # 2 of 3 turns: .5; 3 of 3: 1
    by_tokens = resolve(AlgorithmSettings(overlong={"unit": "tokens", "limit": 4, "buffer": 2, "penalty": 4.0}))
    shaped = by_tokens.shape_rewards(EPISODES, horizon=3, sampled_mask=EPISODES.action_mask)
    assert shaped.rewards.tolist() == [[0, 0, -1.0, 0, 0], [0, 0, 0, 0, -2.0]]  # 3 tokens: 2; 4 tokens: 4


def test_rewards_stay_as_they_are_without_shaping() -> None:
    shaped = resolve(AlgorithmSettings()).shape_rewards(EPISODES, horizon=3, sampled_mask=EPISODES.action_mask)
    assert torch.equal(shaped.rewards, EPISODES.rewards)


def test_the_critic_is_trained_where_its_values_are_read() -> None:
    assert torch.equal(resolve(AlgorithmSettings(name="ppo")).value_mask(EPISODES), EPISODES.action_mask)
    by_turn = resolve(AlgorithmSettings(name="turn_ppo")).value_mask(replace(EPISODES, valid=torch.tensor([True, True])))
    assert by_turn.int().tolist() == [[1, 0, 1, 0, 0], [1, 0, 0, 1, 1]]


def test_what_an_algorithm_needs() -> None:
    def needs(**section: Any) -> set[str]:
        algorithm = resolve(AlgorithmSettings(**section))
        return {name for name in dir(algorithm) if name.startswith(("needs_", "skips_")) and getattr(algorithm, name)}

    assert needs() == {"skips_zero_advantage"}
    assert needs(name="ppo") == {"needs_critic"}
    assert needs(name="remax") == {"needs_greedy_baseline", "skips_zero_advantage"}
    assert needs(name="gigpo") == {"needs_states", "skips_zero_advantage"}
    assert needs(name="reinforce", advantage={"baseline": "running"}) == {"needs_running_baseline", "skips_zero_advantage"}
    assert needs(kl={"coefficient": 0.1}) == {"needs_reference"}
    assert needs(kl={"coefficient": 0.1, "placement": "reward"}) == {"needs_reference", "skips_zero_advantage"}
    assert needs(entropy_coefficient=0.1) == {"needs_entropy"}
    assert needs(name="gspo") == {"skips_zero_advantage"}
    assert needs(name="gspo", advantage={"estimator": "gigpo"}) == {"needs_states"}
    assert needs(name="reinforce", correction={"level": "sequence"}) == set()
    assert needs(forced_tokens=0.1) == {"needs_forced_tokens", "skips_zero_advantage"}


def test_the_controller_of_the_coefficient() -> None:
    fixed = resolve(AlgorithmSettings(kl={"coefficient": 0.1})).kl_controller()
    adaptive = resolve(
        AlgorithmSettings(kl={"coefficient": 0.1, "controller": {"kind": "adaptive", "target": 0.02, "window": 10}})
    ).kl_controller()
    for controller in (fixed, adaptive):
        controller.update(kl=1.0, episodes=10)
    assert (fixed.coefficient, adaptive.coefficient) == pytest.approx((0.1, 0.12))
