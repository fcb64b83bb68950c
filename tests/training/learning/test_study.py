"""What the studies of algorithms and horizons print: interquartile means, their intervals, and runs that are not made twice."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from agentgym_rl.config import ConfigError, dump

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import study

    return study


def test_interquartile_mean_by_hand(study: ModuleType) -> None:
    # Eight numbers: two go at each end, (3 + 4 + 5 + 6) / 4 is left.
    assert study.iqm(np.array([[8.0, 1.0], [2.0, 7.0], [3.0, 6.0], [4.0, 5.0]])) == 4.5
    # Five: one goes at each end.
    assert study.iqm(np.array([[0.0], [0.4], [0.5], [0.9], [1.0]])) == pytest.approx(0.6)
    assert study.iqm(np.array([[0.25]])) == 0.25


def test_intervals_resample_the_runs_of_each_world(study: ModuleType) -> None:
    apart = np.array([[0.0, 1.0]] * 5)  # no spread inside a world: every resample is the same
    assert study.iqm_interval(apart) == (0.5, 0.5)
    spread = np.array([[0.0], [0.25], [0.5], [0.75], [1.0]])
    low, high = study.iqm_interval(spread)
    assert 0 < low < 0.25 < study.iqm(spread) < 0.75 < high < 1
    assert study.iqm_interval(spread) == (low, high)


def test_running_mean(study: ModuleType) -> None:
    assert study.smooth([1.0, 3.0, 5.0], window=2).tolist() == [1.0, 2.0, 4.0]


def test_summary_and_picture(study: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = [{"step": step, "success/mean": step / 10, "turns/mean": 2.0} for step in range(1, 6)]
    result = study.Result(before=0.1, after=0.9, seconds=2.0, metrics=metrics, episodes=4)
    results = {"grpo": {0: result, 1: result}, "none": {}}
    rows = study.summarise(results)
    study.report(rows, tmp_path / "it.json")
    study.draw(tmp_path / "it.png", results, 4, "title")
    study.draw_one(tmp_path / "it" / "grpo.png", "grpo", results["grpo"])
    assert list(json.loads((tmp_path / "it.json").read_text())) == ["grpo"]
    assert "| `grpo` | 0.900 | 0.900 to 0.900 | 0.900 | – | – | 40 | 2 | 2 |" in capsys.readouterr().out
    assert (tmp_path / "it.png").stat().st_size > 1000
    assert (tmp_path / "it" / "grpo.png").stat().st_size > 1000


def test_steps_until_success(study: ModuleType) -> None:
    metrics = [{"step": step, "success/mean": float(step > 3), "turns/mean": 3.0} for step in range(1, 10)]
    result = study.Result(before=0.0, after=1.0, seconds=1.0, metrics=metrics, episodes=4)
    assert result.steps_to(0.75) == 7  # four of the five steps 3 to 7
    assert result.steps_to(1.0) == 8
    assert study.summarise({"once": {0: result}})["once"]["steps"] == 8  # 0.9 of five steps is all of them
    assert study.summarise({"once": {0: result}})["once"]["turns_to"] == 4 * 3 * 8
    assert study.summarise({"once": {0: result}})["once"]["low"] is None


def test_held_out_curves_begin_before_training(study: ModuleType, tmp_path: Path) -> None:
    metrics = [{"step": step, "success/mean": 0.0, "turns/mean": 3.0} for step in range(1, 5)]
    metrics[1]["eval/success"], metrics[3]["eval/success"] = 0.5, 1.0
    result = study.Result(before=0.25, after=1.0, seconds=1.0, metrics=metrics, episodes=4)
    assert result.curve(study.HELD_OUT) == ([0, 2, 4], [0.25, 0.5, 1.0])
    assert result.steps_to(0.5, study.HELD_OUT) == 2
    rows = study.summarise({"arm": {0: result}}, study.HELD_OUT)
    assert (rows["arm"]["steps"], rows["arm"]["turns_to"], rows["arm"]["turns"]) == (4, 48, 48)
    study.draw(tmp_path / "it.png", {"arm": {0: result}}, 2, "title", study.HELD_OUT)
    assert (tmp_path / "it.png").stat().st_size > 1000


def test_finished_runs_are_not_made_again(
    study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[tuple[str, bool]] = []

    def train(settings: study.TrainSettings, *, resume: bool) -> None:  # type: ignore[name-defined]
        made.append((settings.run.name, resume))
        folder = tmp_path / settings.run.name
        folder.mkdir(exist_ok=True)
        (folder / "config.yaml").write_text(dump(settings))
        summary = {"before": {"success": 0.0}, "after": {"success": 1.0}, "seconds": 1.0}
        (folder / "summary.json").write_text(json.dumps(summary))

    monkeypatch.setattr(study.agentgym_rl, "train", train)
    (tmp_path / "b-0").mkdir()
    (tmp_path / "b-0" / "config.yaml").touch()  # begun, not finished
    arms = {"a": ["algorithm.name=grpo"], "b": ["algorithm.name=rloo"]}
    for _ in range(2):
        results = study.study("signs.yaml", arms, 2, tmp_path, minutes=1)
    assert made == [("a-0", False), ("b-0", True), ("a-1", False), ("b-1", False)]
    assert [sorted(runs) for runs in results.values()] == [[0, 1], [0, 1]]
    assert study.study("signs.yaml", arms, 3, tmp_path, minutes=-1) == {"a": {}, "b": {}}
    assert "the same command goes on" in capsys.readouterr().out
    with pytest.raises(ConfigError, match=r"a-0 was made with other settings: .*rloo.* choose another --root"):
        study.study("signs.yaml", {"a": arms["b"]}, 1, tmp_path, minutes=1)


def test_a_stopped_study_says_how_to_go_on(study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def train(settings: study.TrainSettings, *, resume: bool) -> None:  # type: ignore[name-defined]  # noqa: ARG001
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(study.agentgym_rl, "train", train)
    with pytest.raises(SystemExit, match="the same command goes on from here"):
        study.study("signs.yaml", {"a": []}, 1, tmp_path, minutes=1)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.slow
def test_runs_side_by_side_are_those_one_by_one(study: ModuleType, tmp_path: Path) -> None:
    small = ["run.steps=2", "batch.groups=2", "batch.group_size=2", "evaluation.tasks=8"]
    arms = {"a": [*small, "algorithm.name=grpo"], "b": [*small, "algorithm.name=gspo"]}
    alone = study.study("signs.yaml", arms, 2, tmp_path / "alone", minutes=60)
    beside = study.study("signs.yaml", arms, 2, tmp_path / "beside", minutes=60, jobs=2)
    assert [list(runs) for runs in beside.values()] == [[0, 1], [0, 1]]
    for name, runs in alone.items():
        for seed, one in runs.items():
            other = beside[name][seed]
            assert (other.before, other.after) == (one.before, one.after)
            assert other.curve("grad_norm") == one.curve("grad_norm") != ([], [])
