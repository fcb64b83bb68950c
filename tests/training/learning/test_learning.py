"""Every algorithm learns: success on held-out tasks rises from chance to 0.9 through the product's own training.

The world is *signs* (``benchmarks/worlds/signs.py``): three turns, four words each, success at random 1/64. No room of a
held-out task was ever trained on, so what is learned is reading. Settings: ``benchmarks/signs.yaml``; one seed each here (a second
where that fails), more in ``benchmarks/algorithms.py``.

**How often a sound algorithm fails here.** A run's end differs from seed to seed: of the 60 runs recorded in
``docs/assets/algorithms.json`` (all that were made, five seeds each) one ended below 0.9, ReMax's at 0.893. So a test
makes the run of seed 0, and where that one ends below 0.9 the run of seed 1: it fails when both do. With k of n recorded
runs below, the chance p of one has the posterior Beta(k + 1/2, n - k + 1/2) (Jeffreys), and a test fails with E[p^2]:

- all algorithms alike (1 of 60): 0.001 a test, 0.012 that any of the twelve fails;
- each by its own five runs alone: 0.018 where none was below, 0.089 for ReMax. Five runs cannot promise more.

**What passes.** Success is counted over 512 held-out tasks. A policy whose true success is 0.85 is seen at 0.9 or above with
probability 6e-4 a run, one of 0.5 never, so two runs pass with less than 2e-3. An algorithm whose runs end above 0.9 with
chance q passes with 1 - (1 - q)^2: the test sees what does not learn, not what learns in most runs only. Before training, a
policy at chance is seen above 0.05 with probability 1e-7. The first tests compute these numbers. Collapse signals are no part
of this: none was raised in the recorded runs of seed 0.
"""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
RECORDED = Path(__file__).parents[3] / "docs" / "assets" / "algorithms.json"
TASKS = 512
BEFORE, AFTER = 0.05, 0.9
NAMES = [
    "ppo",
    "turn_ppo",
    "grpo",
    "dr_grpo",
    "dapo",
    "gspo",
    "cispo",
    "rloo",
    "reinforce",
    "reinforce_pp",
    "remax",
    "gigpo",
]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``benchmarks/study.py``, and the package of its worlds."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("PYTHONPATH", str(BENCHMARKS))  # a check of worlds plays in another process too
    import study

    return study


@pytest.fixture
def algorithms(study: ModuleType) -> ModuleType:
    assert study
    import algorithms

    return algorithms


def at_most(count: int, rate: float) -> float:
    """Probability of at most ``count`` successes in TASKS trials."""
    return sum(comb(TASKS, k) * rate**k * (1 - rate) ** (TASKS - k) for k in range(count + 1))


def fails_twice(below: int, runs: int) -> float:
    """E[p^2] for p ~ Beta(below + 1/2, runs - below + 1/2)."""
    alpha = below + 0.5
    return alpha * (alpha + 1) / ((runs + 1) * (runs + 2))


def test_false_alarms_are_as_rare_as_claimed() -> None:
    recorded = {name: row["after"] for name, row in json.loads(RECORDED.read_text()).items()}
    assert sorted(recorded) == sorted(NAMES)
    assert all(len(runs) >= 5 for runs in recorded.values())
    below = {name: sum(after < AFTER for after in runs) for name, runs in recorded.items()}
    pooled = fails_twice(sum(below.values()), sum(map(len, recorded.values())))
    assert pooled < 1.1e-3
    assert 1 - (1 - pooled) ** len(NAMES) < 0.0125
    assert all(fails_twice(below[name], len(recorded[name])) < 0.09 for name in NAMES)


def test_what_has_not_learned_does_not_pass() -> None:
    below = int(AFTER * TASKS)  # 460 of 512 is less than 0.9, 461 is not
    assert 1 - at_most(below, 0.85) ** 2 < 2e-3
    assert 1 - at_most(below, 0.5) < 1e-12
    assert 1 - at_most(int(BEFORE * TASKS), 1 / 64) < 1e-6


def test_every_preset_is_benchmarked(algorithms: ModuleType) -> None:
    from agentgym_rl.training.algorithms.presets import PRESETS

    assert sorted(algorithms.ALGORITHMS) == sorted(PRESETS) == sorted(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_learns(name: str, algorithms: ModuleType, study: ModuleType, tmp_path: Path) -> None:
    for seed in (0, 1):
        result = study.run(study.settings_of(algorithms.CONFIG, algorithms.ALGORITHMS[name], name, seed, tmp_path))
        assert result.before <= BEFORE
        if result.after >= AFTER:
            break
    assert result.after >= AFTER
    assert not any(line["collapse/signals"] for line in result.metrics)


def test_rooms_are_in_one_split(study: ModuleType) -> None:
    assert study
    from worlds.signs import Signs

    rooms = {
        split: {(room[0], *sorted(room[1:])) for task in Signs.tasks(split) for room in task.data["rooms"]}
        for split in ("train", "validation", "test")
    }
    assert len(Signs.tasks("test")) == TASKS
    assert not rooms["train"] & rooms["test"]
    assert not rooms["train"] & rooms["validation"]
    assert not rooms["validation"] & rooms["test"]


@pytest.mark.parametrize("world", ["worlds.signs:Signs", "worlds.corridor:Corridor"])
def test_worlds_keep_the_contract(world: str, study: ModuleType) -> None:
    assert study
    from agentgym_rl.environments.checks import check_world

    check_world(world)
