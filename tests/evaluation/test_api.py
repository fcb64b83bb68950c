"""``agentgym_rl.evaluate`` and ``agentgym-rl eval`` on players and on a model."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

import agentgym_rl
from agentgym_rl.agents.models import tiny
from agentgym_rl.agents.settings import TinyModelSettings
from agentgym_rl.cli.app import run as command_line
from agentgym_rl.config import ConfigError
from agentgym_rl.evaluation.report import Report

CONFIG = """
environment: {id: textcraft, categories: [depth-1]}
model: {path: tiny, dtype: float32}
agent: {format: raw, action_space: admissible, template: transcript}
rollout: {temperature: 1.0}
horizon: {schedule: stages, turns: [2, 3], every: 3}
evaluation: {tasks: 6, temperature: 1.0}
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with one checkpoint of a model of a few thousand parameters."""
    folder = tmp_path_factory.mktemp("runs") / "small"
    checkpoint = folder / "checkpoints" / "7"
    world = agentgym_rl.make("textcraft")
    texts = [world.reset(options={"task": task})[0] for task in agentgym_rl.tasks("textcraft")[:20]]
    tokenizer = tiny.make_tokenizer(texts, 400)
    shape = TinyModelSettings(vocabulary=400, hidden=16, layers=1, heads=2)
    tiny.make_model(shape, tokenizer, 0).save_pretrained(checkpoint)
    tokenizer.save_pretrained(checkpoint)
    (folder / "config.yaml").write_text(CONFIG)
    return folder


def test_players_in_python() -> None:
    report = agentgym_rl.evaluate("expert", "textcraft", tasks=20, horizon=40)
    assert isinstance(report, Report)
    assert report.success == 1.0
    assert report.settings["horizon"] == 40
    best = agentgym_rl.evaluate("shortcut", "textcraft", tasks=20, horizon=8)
    assert best.name.startswith("shortcut:craft_")


def test_a_run_is_evaluated_as_it_was_trained(trained: Path, tmp_path: Path) -> None:
    report = agentgym_rl.evaluate(trained, samples=2, out=tmp_path)
    assert (report.step, list(report.categories), report.overall.tasks, report.overall.episodes) == (7, ["depth-1"], 6, 12)
    assert {key: report.settings[key] for key in ("horizon", "temperature", "action_space")} == {
        "horizon": 3,
        "temperature": 1.0,
        "action_space": "admissible",
    }
    assert report.overall.not_understood == 0
    assert Report.read(tmp_path / "report.json").as_dict() == report.as_dict()
    assert agentgym_rl.evaluate(trained, samples=2).as_dict() == report.as_dict()
    free = agentgym_rl.evaluate(trained, overrides=["agent.action_space=free", "rollout.max_tokens=4"], tasks=2)
    assert free.overall.not_understood == 1.0


def test_the_environment_must_be_known(trained: Path) -> None:
    with pytest.raises(ConfigError, match="belongs to no run, so the environment must be said"):
        agentgym_rl.evaluate("random")
    elsewhere = agentgym_rl.evaluate(trained, "babyai", tasks=2, horizon=1)
    assert list(elsewhere.environments) == ["babyai"]


def test_a_players_needs_are_checked_before_it_plays() -> None:
    with pytest.raises(ConfigError, match="no player 'shortcut:nope' in this environment; it has: random, shortcut:"):
        agentgym_rl.evaluate("shortcut:nope", "textcraft", tasks=2)
    with pytest.raises(ConfigError, match="--base-url would do nothing"):
        agentgym_rl.evaluate("random", "textcraft", base_url="http://x")


def test_a_folder_holds_one_evaluation_which_may_grow(tmp_path: Path) -> None:
    first = agentgym_rl.evaluate("random", "textcraft", tasks=5, horizon=4, out=tmp_path)
    more = agentgym_rl.evaluate("random", "textcraft", tasks=5, samples=3, horizon=4, out=tmp_path)
    assert [one for one in more.outcomes if one.sample == 0] == list(first.outcomes)
    with pytest.raises(ConfigError, match="holds an evaluation with horizon 4, not 5: choose another --out"):
        agentgym_rl.evaluate("random", "textcraft", tasks=5, horizon=5, out=tmp_path)
    with pytest.raises(ConfigError, match='with name "random", not "expert"'):
        agentgym_rl.evaluate("expert", "textcraft", tasks=5, horizon=4, out=tmp_path)


def test_the_command_prints_a_table_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["eval", "random", "--env", "textcraft", "--tasks", "9", "--horizon", "8"]
    assert command_line([*base, "--out", str(tmp_path)]) == 0
    assert "random on textcraft test (9 episodes, horizon 8" in capsys.readouterr().out
    assert command_line(["eval", "expert", *base[2:], "--compare", str(tmp_path / "report.json")]) == 0
    shown = capsys.readouterr().out
    assert "against random, on the tasks both played" in shown
    assert "change" in shown


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_what_cannot_be_compared_is_shown_all_the_same(
    as_json: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["eval", "random", "--env", "textcraft", "--tasks", "3", "--horizon", "2"]
    assert command_line([*base, "--category", "depth-1", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    other = [*base, "--category", "depth-2", "--compare", str(tmp_path / "report.json"), *as_json]
    assert command_line(other) == 2
    shown = capsys.readouterr()
    assert "random and random share no task" in shown.err
    assert json.loads(shown.out)["overall"]["tasks"] == 3 if as_json else "success" in shown.out


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["eval", "expert", "--env", "textcraft", "--tasks", "3", "--option", "distractors=2", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["overall"]["success"]["value"] == 1.0
    assert content["settings"]["environments"] == [{"id": "textcraft", "options": {"distractors": 2}}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody", "--env", "textcraft"], "nothing to evaluate is called 'nobody'"),
        (["random", "--env", "textcraf"], "unknown environment 'textcraf'; nearest: textcraft"),
        (["random", "--env", "textcraft", "--category", "depth-9"], "unknown category 'depth-9'; known: depth-1"),
        (["random", "--env", "textcraft", "--split", "train"], "'train' is not test or validation"),
        (["random", "--option", "distractors=2"], "give --env with it"),
        (["random", "--env", "textcraft", "--compare", "nowhere.json"], "nowhere.json: not readable"),
        (["random", "--env", "textcraft", "--samples", "0"], "samples"),
        (["", "--env", "textcraft"], "nothing to evaluate is named"),
        (["smollm2-135m-instruct", "--env", "textcraft", "--device", "cud"], "--device='cud': should be auto, cpu,"),
        (["openai: ", "--env", "textcraft"], "openai: lacks the name of a model"),
        (["random", "--env", "textcraft", "--temperature", "inf"], "inf is no temperature"),
        (["random", "--env", "textcraft", "--temperature", "nan"], "temperature"),
    ],
)
def test_bad_use_is_a_line_and_exit_code_2(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["eval", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize("content", ["", '{"name": "ran', "[]", "3"])
def test_settings_that_are_cut_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "settings.json").write_text(content)
    with pytest.raises(ConfigError, match=r"settings\.json .*: put a copy back, or choose another --out"):
        agentgym_rl.evaluate("random", "textcraft", tasks=2, out=tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    def stop(*_: object, **__: object) -> None:
        assert callable(signal.getsignal(number))  # it would end the tests
        os.kill(os.getpid(), number)

    monkeypatch.setattr("agentgym_rl.evaluation.api.evaluate", stop)
    arguments = ["eval", "random", "--env", "textcraft", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["agentgym-rl", *arguments])
    assert command_line(arguments) == 130
    assert f"go on with: agentgym-rl {' '.join(arguments)}" in capsys.readouterr().err
