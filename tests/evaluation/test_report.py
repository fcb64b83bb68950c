"""Reports: numbers from outcomes alone, JSON and back, tables that people can read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym_rl.evaluation.comparison import NotComparable, compare, comparison_table
from agentgym_rl.evaluation.metrics import Outcome
from agentgym_rl.evaluation.report import Report
from agentgym_rl.evaluation.table import aligned, report_table
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.trajectory import Trajectory, Turn

SETTINGS = {"split": "test", "horizon": 8, "temperature": 1.0, "seed": 0, "samples": 1}


def report(wins: dict[str, str], name: str = "model", **settings: object) -> Report:
    """``wins``: category → a letter an episode: w won, l lost, f fault."""
    outcomes = [
        Outcome(
            "toy",
            f"{category}-{i}",
            category,
            0,
            letter == "w",
            float(letter == "w"),
            2,
            "fault" if letter == "f" else "terminated",
        )
        for category, letters in wins.items()
        for i, letter in enumerate(letters)
    ]
    return Report(name, outcomes, {**SETTINGS, **settings})


def test_a_report_counts_by_category_and_overall() -> None:
    made = report({"easy": "wwwl", "hard": "lf"})
    assert (made.overall.tasks, made.overall.episodes, made.overall.faults) == (5, 5, 1)
    assert made.success == pytest.approx(0.6)
    easy, hard = made.categories["easy"], made.categories["hard"]
    assert easy.success is not None
    assert hard.success is not None
    assert (easy.success.value, hard.success.value, hard.faults) == (0.75, 0.0, 1)
    assert made.overall.turns == 2


def test_the_shape_of_the_json_is_the_documented_one() -> None:
    content = report({"easy": "wl"}).as_dict()
    assert list(content) == ["name", "step", "settings", "faults", "overall", "environments", "categories", "tasks"]
    assert set(content["overall"]["success"]) == {"value", "low", "high", "tasks", "method"}
    assert content["tasks"][0] == {
        "environment": "toy",
        "task": "easy-0",
        "category": "easy",
        "episodes": [{"sample": 0, "success": True, "score": 1.0, "turns": 2, "ended": "terminated", "not_understood": 0}],
        "success": 1.0,
        "score": 1.0,
    }


def test_json_and_back(tmp_path: Path) -> None:
    made = report({"easy": "wlw", "hard": "f"})
    path = tmp_path / "eval" / "3.json"
    made.write(path)
    assert Report.read(path).as_dict() == made.as_dict() == json.loads(path.read_text())
    assert [one.name for one in path.parent.iterdir()] == ["3.json"]


@pytest.mark.parametrize("content", ["", '{"name": "a', "[]", "3", "{}", '{"tasks": [{"episodes": 3}]}'])
def test_what_is_no_report_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "3.json").write_text(content)
    with pytest.raises(RecordError, match=r"3\.json is no report of an evaluation, or a damaged one"):
        Report.read(tmp_path / "3.json")
    with pytest.raises(RecordError, match=r"4\.json: not readable: No such file"):
        Report.read(tmp_path / "4.json")


def test_nothing_but_faults_is_no_success_and_no_failure() -> None:
    made = report({"easy": "ff"})
    assert made.overall.success is None
    assert made.success != made.success
    json.dumps(made.as_dict(), allow_nan=False)
    assert "2 episodes were lost to faults" in report_table(made)


def test_records_become_a_report() -> None:
    won = Trajectory("toy", "t-1", "c", 1, 1, 0, 8, turns=[Turn("o", "m", "m")], score=1.0, success=True, ended="terminated")
    lost = Trajectory("toy", "t-1", "c", 1, 1, 1, 8, ended="fault", faults=["server gone", "server gone"])
    made = Report.of("model", [won, lost], SETTINGS, step=7)
    assert made.faults == {"server gone": 2}
    assert made.overall.pass_at == {"1": 1.0, "2": None}
    assert made.as_dict()["step"] == 7


def test_several_environments_keep_apart() -> None:
    same = [Outcome(world, "t-1", "c", 0, world == "a", 1.0, 1, "terminated") for world in "ab"]
    made = Report("model", same)
    assert list(made.categories) == ["a/c", "b/c"]
    assert made.overall.tasks == 2
    assert made.success == 0.5


def test_tables_line_up() -> None:
    lines = report_table(report({"depth-1": "wl", "depth-2": "ll"})).splitlines()
    assert lines[0] == "model on toy test (4 episodes, horizon 8, temperature 1, seed 0)"
    assert lines[1].split() == ["tasks", "success", "95", "%", "score", "95", "%", "turns"]
    assert [line.split()[0] for line in lines[2:]] == ["depth-1", "depth-2", "all"]
    assert len({len(line) for line in lines[1:]}) == 1
    assert aligned([["名前", "n"], ["ab", "12"]]) == "名前   n\nab    12"


def test_a_comparison_is_paired() -> None:
    made = compare(report({"easy": "llw", "hard": "ll"}), report({"easy": "wlw", "hard": "wf"}))
    assert (made.success.before, made.success.after) == (0.25, 0.75)
    assert made.success.difference.value == 0.5
    assert made.success.difference.tasks == 4
    assert made.categories["hard"].difference.value == 1.0
    json.dumps(made.as_dict())


def test_the_comparison_shows_players_beside() -> None:
    made = compare(report({"easy": "ll", "hard": "ll"}), report({"easy": "ww", "hard": "wl"}))
    table = comparison_table(
        made, {"random": report({"easy": "wl", "hard": "ll"}), "expert": report({"easy": "ww", "hard": "ww"})}
    )
    assert table.splitlines()[0].split()[-2:] == ["random", "expert"]
    assert table.splitlines()[-1].split()[:5] == ["all", "4", "0.000", "0.750", "+0.750"]
    assert table.splitlines()[-1].split()[-2:] == ["0.250", "1.000"]


def test_unlike_conditions_are_not_compared() -> None:
    with pytest.raises(NotComparable, match=r"different horizon \(8 and 4\): evaluate both alike"):
        compare(report({"a": "w"}), report({"a": "w"}, horizon=4))
    compare(report({"a": "w"}), report({"a": "w"}, action_space="admissible"))
    with pytest.raises(NotComparable, match="different action_space"):
        compare(report({"a": "w"}, action_space="free"), report({"a": "w"}, action_space="admissible"))
    with pytest.raises(NotComparable, match="share no task"):
        compare(report({"a": "w"}), report({"b": "w"}))
