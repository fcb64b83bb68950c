"""Settings that contradict each other are refused before anything is loaded, naming both."""

from __future__ import annotations

import pytest

from agentgym_rl.config import ConfigError, load
from agentgym_rl.training.run_setup import make_plan
from agentgym_rl.training.settings import TrainSettings


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        (["algorithm.forced_tokens=0.1"], ("algorithm.forced_tokens", "agent.action_space")),
        (["batch.mini_batches=20"], ("batch.mini_batches", "batch.groups")),
        (["batch.group_size=1"], ("batch.group_size", "algorithm.advantage.estimator")),
        (["algorithm.loss.clip_high=0.3"], ("algorithm.loss.clip_high", "batch.mini_batches")),
        (["environment.turns=[3,4]"], ("environment.turns", "horizon.turns")),
        (
            ["environment.skip_solved=0.5", "horizon={schedule: adaptive, turns: [2, 4]}"],
            ("environment.skip_solved=0.5 of textcraft", "horizon.schedule=adaptive"),
        ),
        (
            [
                "environment.mix=[{id: babyai}, {id: textcraft, skip_solved: 0.1}]",
                "horizon={schedule: adaptive, turns: [2, 4]}",
            ],
            ("environment.skip_solved=0.1 of textcraft", "horizon.schedule=stages"),
        ),
    ],
)
def test_both_are_named(overrides: list[str], named: tuple[str, str]) -> None:
    settings = load(None, overrides, TrainSettings).settings
    with pytest.raises(ConfigError) as caught:
        make_plan(settings)
    assert all(name in str(caught.value) for name in named)
