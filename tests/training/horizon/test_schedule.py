"""The horizon at a step: published stages, bad input."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from agentgym_rl.training.horizon import Horizon
from agentgym_rl.training.horizon.settings import StagedHorizon


@pytest.mark.parametrize(("step", "turns"), [(1, 10), (100, 10), (101, 20), (200, 20), (201, 30), (100_000, 30)])
def test_stages_change_after_every_steps(step: int, turns: int) -> None:
    assert Horizon(schedule="stages", turns=[10, 20, 30], every=100).at(step) == turns


def test_stage_is_the_index_of_the_horizon() -> None:
    horizon = Horizon(schedule="stages", turns=[6, 13, 20], every=2)
    assert [horizon.stage(step) for step in range(1, 8)] == [0, 0, 1, 1, 2, 2, 2]


def test_fixed_is_the_same_at_every_step() -> None:
    assert {Horizon(schedule="fixed", turns=[7]).at(step) for step in (1, 50, 1000)} == {7}


def test_settings_make_the_same_schedule() -> None:
    assert Horizon.from_settings(StagedHorizon(turns=[1, 1, 4], every=3)).at(7) == 4


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"schedule": "stages", "turns": [], "every": 1}, "[]"),
        ({"schedule": "stages", "turns": [3, 2], "every": 1}, "[3, 2]"),
        ({"schedule": "stages", "turns": [3], "every": 0}, "every=0"),
        ({"schedule": "stages", "turns": [3]}, "every"),
        ({"schedule": "stages", "turns": [0, 3], "every": 1}, "=0"),
        ({"schedule": "adaptive", "turns": [3, 2]}, "[3, 2]"),
        ({"schedule": "adaptive", "turns": [2, 3], "window": 0}, "window=0"),
        ({"schedule": "fixed", "turns": [3], "every": 2}, "every"),
        ({"schedule": "fixed", "turns": [3, 4]}, "[3, 4]"),
        ({"schedule": "stairs", "turns": [3]}, "stairs"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match="horizon") as raised:
        Horizon(**options)
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("step", [0, -3])
def test_steps_count_from_one(step: int) -> None:
    with pytest.raises(ValueError, match=f"step={step}"):
        Horizon(schedule="fixed", turns=[3]).at(step)


def test_settings_refuse_a_falling_list() -> None:
    with pytest.raises(ValidationError, match="falls"):
        StagedHorizon(turns=[3, 2], every=1)
