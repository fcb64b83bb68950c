"""The example world keeps the contract and can be played."""

from __future__ import annotations

from pathlib import Path

import pytest

import agentgym_rl
from agentgym_rl.environments.checks import check_world

COURIER = "examples.courier:Courier"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def test_keeps_the_contract() -> None:
    check_world(COURIER)


def test_delivers() -> None:
    world = agentgym_rl.make(COURIER)
    world.reset(options={"task": "3-4-2"})
    turns = [world.step(action) for action in ("up", "take", "down", "down", "deliver")]
    assert [reward for _, reward, *_ in turns] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert turns[-1][2]
    assert turns[-1][4]["success"]


def test_says_what_is_wrong() -> None:
    world = agentgym_rl.make(COURIER)
    world.reset(options={"task": "3-4-2"})
    observation, _, _, _, info = world.step("deliver")
    assert "not possible" in observation
    assert info["understood"]
    observation, _, _, _, info = world.step("fly")
    assert "no such action" in observation
    assert not info["understood"]
