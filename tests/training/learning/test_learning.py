"""Every algorithm learns: success on held-out tasks rises from chance to 0.9 through the product's own training.

The world is *signs* (``benchmarks/worlds/signs.py``): three turns, four words each, success at random 1/64. No room of a
held-out task was ever trained on, so what is learned is reading. Settings: ``benchmarks/signs.yaml``; one seed each here,
more in ``benchmarks/algorithms.py``.

**Power of the thresholds.** Success is counted over n = 512 held-out tasks. After training, a policy whose true success
is 0.95 is seen below 0.9 with probability 9e-7 (binomial); one of 0.85 passes with 6e-4, one of 0.5 never. Before it, a
policy at chance is seen above 0.05 with probability 1e-7. Over twelve algorithms a false alarm is thus rarer than one
in 80,000, provided that runs end above 0.95: the lowest of the benchmark's is in the table of ``docs/algorithms``. The first
test computes these numbers.
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
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


def test_thresholds_have_the_power_they_claim() -> None:
    below = int(AFTER * TASKS)  # 460 of 512 is less than 0.9, 461 is not
    assert at_most(below, 0.95) < 1.5e-6
    assert 1 - at_most(below, 0.85) < 1e-3
    assert 1 - at_most(below, 0.5) < 1e-12
    assert 1 - at_most(int(BEFORE * TASKS), 1 / 64) < 1e-6


def test_every_preset_is_benchmarked(algorithms: ModuleType) -> None:
    from agentgym_rl.training.algorithms.presets import PRESETS

    assert sorted(algorithms.ALGORITHMS) == sorted(PRESETS) == sorted(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_learns(name: str, algorithms: ModuleType, study: ModuleType, tmp_path: Path) -> None:
    settings = study.settings_of(algorithms.CONFIG, algorithms.ALGORITHMS[name], name, 0, tmp_path)
    result = study.run(settings)
    assert result.before <= BEFORE
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
