"""The benchmarks measure what they say, on sizes that take no time."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from agentgym_rl.config import load
from agentgym_rl.training.run_setup import load_policy, make_plan, make_runner
from agentgym_rl.training.settings import TrainSettings

ROOT = Path(__file__).parents[2]


def benchmark(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_perfect_scheduler_leaves_no_place_idle() -> None:
    rollout = benchmark("rollout")
    assert rollout.perfect_seconds([3.0, 1.0, 1.0, 4.0], 2) == 6.0
    assert rollout.perfect_seconds([3.0, 1.0, 1.0, 4.0], 4) == 4.0


def test_times_are_heavy_tailed() -> None:
    times = benchmark("rollout").heavy_tailed(64, 20, 0)
    assert times.mean() == pytest.approx(0.05, rel=0.1)
    assert (times == 2.0).sum() == 13


@pytest.mark.parametrize("kind", ["transcript, raw, admissible", "chat, react, free"])
def test_own_time_plays_every_turn(kind: str) -> None:
    assert 0 < benchmark("rollout").own_seconds(kind, episodes=2, turns=3, rounds=1) < 1


def test_engine_and_usual_loop_do_the_same_work() -> None:
    engine = benchmark("engine")
    small = ["batch.groups=2", "batch.group_size=2", "horizon.turns=[2]", "rollout.max_tokens=6", "model.tiny.layers=1"]
    plan = make_plan(load(ROOT / "configs/tiny.yaml", small, TrainSettings).settings)
    with make_runner(plan) as runner:
        policy = load_policy(plan)
        found = engine.compare(policy, runner, plan, plan.settings.agent, episodes=4, rounds=1)
        played = engine.play(policy, runner, plan, engine.jobs_of(plan, 4), plan.settings.agent)
        turns = engine.messages_by_turn(played)
        counted = engine.saved(policy, runner, plan)
    assert found.tokens == sum(sum(segment.action_mask) for episode in played for segment in episode.segments)
    assert [len(messages) for messages in turns] == [4, 4]
    assert all(message.context for messages in turns for message in messages)
    assert found.ratio > 0
    assert found.engine_computed < found.usual_computed
    for computed, naive in counted.values():
        assert computed < naive == sum(len(segment) for episode in played for segment in episode.segments)


def test_a_recipe_s_row_says_what_its_run_found(tmp_path: Path) -> None:
    recipes = benchmark("recipes")
    folder = tmp_path / "quickstart-1"
    folder.mkdir()
    summary = {
        "before": {"success": 0.116},
        "after": {"success": 0.595},
        "difference": {"mean": 0.479, "low": 0.397, "high": 0.56},
        "players": {"random": 0.207, "shortcut:any": 0.483, "expert": 0.845},
        "free": {"before": 0.0, "after": 0.01},
        "peak_memory_bytes": 6 * 2**30,
    }
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "metrics.jsonl").write_text('{"time/step": 30.0}\n{"time/step": 45.0}\n')
    config = ROOT / "configs/quickstart.yaml"
    assert recipes.finish(config, 1, tmp_path) == folder  # a finished run is not made again
    assert recipes.row(config, 1, folder) == (
        "| `quickstart.yaml`, 1 | 0.12 | 0.59 | +0.48 [+0.40, +0.56] | 0.21, 0.48, 0.84 | 0.00, 0.01 | 2 steps, 1.2 min | 6.0 GiB |"
    )
