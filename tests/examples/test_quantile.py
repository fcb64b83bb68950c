"""The example of an algorithm: its numbers by hand, its settings, and a run with it that resumes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import agentgym_rl
from agentgym_rl.config import load
from agentgym_rl.training import losses
from agentgym_rl.training.algorithms.resolve import check, refuse_idle_clips, resolve
from agentgym_rl.training.algorithms.settings import AlgorithmSettings
from agentgym_rl.training.losses import LossInputs, PolicyLoss
from agentgym_rl.training.losses.registry import policy_function
from agentgym_rl.training.settings import TrainSettings

ROOT = Path(__file__).parents[2]
NAME = "examples.quantile:QUANTILE"


@pytest.fixture(autouse=True)
def _from_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT)


def section(**more: Any) -> AlgorithmSettings:
    return AlgorithmSettings.model_validate({"name": NAME, **more})


def test_its_loss_by_hand() -> None:
    resolve(section())
    log_probs = torch.tensor([[1.1, 1.4, 0.8, 9.0]]).log().requires_grad_()
    inputs = LossInputs(
        log_probs=log_probs,
        old_log_probs=torch.zeros(1, 4),
        advantages=torch.tensor([[2.0, 2.0, -1.0, float("nan")]]),
        mask=torch.tensor([[True, True, True, False]]),
        weights=torch.ones(1, 4),
    )
    made = policy_function("spo")(inputs, clip_high=0.2)
    # |A| (r - 1)² / 0.4 - A r:  2 · 0.01 / 0.4 - 2.2,  2 · 0.16 / 0.4 - 2.8,  1 · 0.04 / 0.4 + 0.8
    torch.testing.assert_close(made.losses, torch.tensor([[-2.15, -2.0, 0.9, 0.0]]))
    made.losses.sum().backward()
    # r (|A| (r - 1) / 0.2 - A): towards a higher ratio, back from beyond it, and at rest on the edge
    torch.testing.assert_close(log_probs.grad, torch.tensor([[-1.1, 2.8, 0.0, 0.0]]), rtol=1e-4, atol=1e-5)
    assert float(made.metrics["ratio/clipped"][0]) == 1


def test_it_is_overridden_field_by_field() -> None:
    algorithm = resolve(section(advantage={"gamma": 0.9, "options": {"quantile": 0.8}}, loss={"clip_high": 0.1}))
    described = algorithm.describe()
    assert described["advantage"] == {"estimator": "group_quantile", "gamma": 0.9, "options": {"quantile": 0.8}}
    assert described["loss"] == {"policy": "spo", "clip_high": 0.1, "aggregation": "episode_mean"}
    assert resolve(AlgorithmSettings.model_validate(described)) == algorithm
    assert algorithm.skips_zero_advantage
    assert not algorithm.needs_critic
    assert resolve(AlgorithmSettings.model_validate({"name": "grpo", "advantage": {"estimator": "group_quantile"}}))


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"advantage": {"options": {"quantil": 0.8}}}, ["advantage.options.quantil=0.8 does nothing", "gamma, quantile"]),
        ({"advantage": {"options": {"quantile": 1.8}}}, ["advantage.options.quantile=1.8", "less than or equal to 1"]),
        ({"advantage": {"options": {"gamma": 0.8}}}, ["advantage.options.gamma has a key of its own"]),
        ({"advantage": {"lam": 0.8}}, ["advantage.lam=0.8 does nothing"]),
        ({"loss": {"clip_low": 0.1}}, ["loss.clip_low=0.1 does nothing with loss.policy=spo"]),
        ({"loss": {"policy": "spoo"}}, ["algorithm.loss.policy='spoo' is unknown: did you mean 'spo'?"]),
        ({"critic": {}}, ["algorithm.critic does nothing"]),
        ({"correction": {"level": "sequence"}}, ["level=sequence contradicts loss.policy=spo"]),
        ({"name": "examples.quantile:NOTHING"}, ["has no Recipe of the name 'NOTHING'"]),
        ({"name": "examples.quantile:spo"}, ["has no Recipe of the name 'spo'"]),
        ({"name": "examples.nothing:QUANTILE"}, ["there is no module 'examples.nothing'"]),
    ],
)
def test_what_it_does_not_take_is_named(more: dict[str, Any], named: list[str]) -> None:
    resolve(section())  # so that its loss is among those to choose from
    with pytest.raises(ValueError, match="algorithm") as raised:
        section(**more)
    for part in named:
        assert part in str(raised.value)


def test_what_it_needs_is_checked() -> None:
    with pytest.raises(ValueError, match=r"batch\.group_size=1"):
        check(resolve(section()), groups=2, group_size=1, mini_batches=1, epochs=1)
    with pytest.raises(ValueError, match="clip_high"):
        refuse_idle_clips(section(loss={"clip_high": 0.1}), mini_batches=1, epochs=1)


def test_names_and_bounds_are_refused_where_they_are_registered() -> None:
    with pytest.raises(ValueError, match="'ppo_clip' exists already"):
        losses.register("ppo_clip", PolicyLoss(), lambda _: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="no bound 'clip'; it has clip_low, clip_high, dual_clip"):
        losses.register("mine", PolicyLoss({"clip": 0.1}), lambda _: None)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    ("loss", "section", "skips"),
    [
        (PolicyLoss(), {}, True),
        (PolicyLoss(counts_zero_advantage=True), {}, False),
        (PolicyLoss(whole_episode=True), {}, True),
        (PolicyLoss(whole_episode=True), {"advantage": {"estimator": "reinforce"}}, False),
    ],
)
def test_what_a_loss_says_of_itself_is_heard(
    loss: PolicyLoss, section: dict[str, Any], skips: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentgym_rl.training.algorithms.policies import POLICY_LOSSES

    monkeypatch.setitem(POLICY_LOSSES, "mine", loss)
    algorithm = resolve(AlgorithmSettings.model_validate({"loss": {"policy": "mine"}, **section}))
    assert algorithm.skips_zero_advantage is skips


def test_a_run_with_it_trains_and_resumes(tmp_path: Path) -> None:
    overrides = [
        *("run.threads=1", f"run.root={tmp_path}", "checkpoint.every=1", "evaluation.tasks=2", "evaluation.players=false"),
        *("model.tiny={vocabulary: 400, hidden: 32, layers: 2, heads: 4, context: 1024}", "batch.groups=2"),
        *(
            "batch.group_size=3",
            "batch.mini_batches=2",
            f"algorithm.name={NAME}",
            "algorithm.advantage.options.quantile=0.6",
        ),
    ]

    def settings(*more: str) -> TrainSettings:
        return load("configs/tiny.yaml", [*overrides, *more], TrainSettings).settings

    agentgym_rl.train(settings("run.steps=1"))
    summary = agentgym_rl.train(settings("run.steps=2"), resume=True)
    assert summary["steps"] == 2
    assert f"name: {NAME}" in (tmp_path / "tiny" / "config.yaml").read_text()
