"""ScalingInter-RL is not one algorithm's: every name takes every schedule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentgym_rl
from agentgym_rl.records.metrics import MetricsFile
from agentgym_rl.training.algorithms.presets import PRESETS
from agentgym_rl.training.run_setup import make_plan

SCHEDULES = {
    "fixed": ("horizon={schedule: fixed, turns: [2]}", [2, 2]),
    "stages": ("horizon={schedule: stages, turns: [2, 3], every: 1}", [2, 3]),
    "adaptive": ("horizon={schedule: adaptive, turns: [2, 3], window: 1, success: 0.0}", [2, 3]),
}
"""Overrides, and the horizons of the first two steps: with ``success: 0`` each step counts as mastered."""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", PRESETS)
def test_every_algorithm_takes_every_schedule(
    small_settings: Callable[..., Any], tmp_path: Path, name: str, schedule: str
) -> None:
    override, horizons = SCHEDULES[schedule]
    plan = make_plan(small_settings(tmp_path, f"algorithm={{name: {name}}}", override))
    history = [{"step": 1, "success/mean": 0.0, "episodes/truncated": 0.0}]
    assert [plan.horizon.at(1, []), plan.horizon.at(2, history)] == horizons
    assert plan.evaluation_horizon == horizons[-1]


@pytest.mark.slow
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", PRESETS)
def test_every_algorithm_trains_under_every_schedule(
    small_settings: Callable[..., Any], tmp_path: Path, name: str, schedule: str
) -> None:
    override, horizons = SCHEDULES[schedule]
    small = ("run.steps=2", "batch.groups=2", "batch.group_size=3", "evaluation.tasks=1", "evaluation.every=0")
    agentgym_rl.train(small_settings(tmp_path, f"algorithm={{name: {name}}}", override, *small))
    lines = MetricsFile(tmp_path / "small" / "metrics.jsonl").read()
    assert [line["horizon"] for line in lines] == horizons
    assert all(line["turns/mean"] <= line["horizon"] for line in lines)
