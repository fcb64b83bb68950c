"""The memory that a dry run says is needed follows what the learner holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym_rl.agents.models.load import load_model
from agentgym_rl.config import load
from agentgym_rl.training import memory
from agentgym_rl.training.algorithms.resolve import resolve
from agentgym_rl.training.estimate import dry_run
from agentgym_rl.training.learner.learner import Learner
from agentgym_rl.training.settings import TrainSettings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "override", ["optimizer.train_embeddings=true", "optimizer.train_embeddings=false", "optimizer.lora={rank: 3}"]
)
def test_parameters_are_those_of_the_learner(small_settings: Callable[..., Any], tmp_path: Path, override: str) -> None:
    settings = small_settings(tmp_path, override)
    texts = [f"{number} {chr(65 + number % 26) * (number % 9)}" for number in range(20000)]
    model = load_model(settings.model, torch.device("cpu"), texts=texts)
    parameters = sum(one.numel() for one in model.model.parameters())
    learner = Learner(model, resolve(settings.algorithm), settings.optimizer, settings.batch, temperature=1.0)
    trained = sum(one.numel() for one in learner.weights.masters.values())
    found = dry_run(settings)["memory"]
    missing = settings.model.tiny.vocabulary - len(model.tokenizer)  # where the texts did not fill the vocabulary
    assert found["parameters"] - missing * settings.model.tiny.hidden == pytest.approx(parameters, rel=0.02)  # no norms
    if "true" not in override:
        assert found["trained_parameters"] == pytest.approx(trained, rel=0.02)


def test_what_is_held_beside_the_policy_counts(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    def held(*overrides: str) -> int:
        return int(dry_run(small_settings(tmp_path, *overrides))["memory"]["weights_and_optimizer_bytes"])

    plain = held()
    weights = 4 * dry_run(small_settings(tmp_path))["memory"]["parameters"]
    assert held("algorithm={name: grpo, kl: {coefficient: 0.1}}") == plain + weights  # the reference
    assert held("batch.mini_batches=3") > plain  # a copy to go back to
    assert held("algorithm={name: ppo, critic: {kind: model}}") == 2 * plain


def test_the_cache_is_that_of_the_episodes_in_flight(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    def cache(*overrides: str) -> int:
        found = dry_run(small_settings(tmp_path, "batch={groups: 4, group_size: 6}", *overrides))["memory"]
        return int(found["key_value_cache_bytes"])

    every = cache("rollout.concurrency=24")
    assert cache("rollout.concurrency=6") == every // 4
    assert cache("rollout.concurrency=1000") == every


def test_the_quickstart_is_said_to_need_a_little_more_than_was_measured() -> None:
    settings = load(ROOT / "configs/quickstart.yaml", ["run.device=cpu"], TrainSettings).settings
    assert 5.44 < dry_run(settings)["memory"]["needed_bytes"] / 2**30 < 5.7


def test_a_container_s_limit_bounds_what_is_available(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    limit, facts = tmp_path / "memory.max", tmp_path / "meminfo"
    limit.write_text("max\n")
    facts.write_text("MemTotal: 9 kB\nMemAvailable: 4096 kB\n")
    monkeypatch.setattr(memory, "_LIMITS", (str(tmp_path / "none"), str(limit)))
    monkeypatch.setattr(memory, "_FACTS", facts)
    assert memory.available_memory() == 4096 * 1024
    limit.write_text("1048576\n")
    assert memory.total_memory() == memory.available_memory() == 1048576
    monkeypatch.setattr(memory, "_FACTS", tmp_path / "none")  # macOS
    limit.unlink()
    assert memory.available_memory() == memory.total_memory() > 2**28
