"""What players that understand nothing earn in each world: nothing, and what chance gives; the oracle earns everything."""

from __future__ import annotations

import pytest

import agentgym_rl

HORIZONS = {"textcraft": 40, "babyai": 20}


@pytest.mark.parametrize("world", HORIZONS)
@pytest.mark.parametrize("player", ["null", "spam", "fixed:stop", "fixed:success", "fixed:\x00\u202e\ud83d"])
def test_talk_earns_nothing(world: str, player: str) -> None:
    report = agentgym_rl.evaluate(player, world, tasks=12, horizon=5)
    assert report.overall.score is not None
    assert (report.success, report.overall.score.value, report.overall.faults) == (0.0, 0.0, 0)
    assert report.overall.not_understood == 1.0


@pytest.mark.parametrize(("world", "horizon"), HORIZONS.items())
def test_the_oracle_earns_what_chance_and_shortcuts_do_not(world: str, horizon: int) -> None:
    expert, shortcut, chance = (
        agentgym_rl.evaluate(player, world, tasks=40, horizon=horizon) for player in ("expert", "shortcut", "random")
    )
    assert expert.success >= 0.95
    assert expert.success > max(shortcut.success, chance.success) > 0
    assert expert.overall.not_understood == chance.overall.not_understood == 0.0
