"""Whom to evaluate is found by name; what cannot be is said with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym_rl.config import ConfigError
from agentgym_rl.evaluation.subject import find_subject

CONFIG = """
environment: {id: textcraft, categories: [depth-1]}
model: {path: tiny, tiny: {hidden: 32}, dtype: float32}
agent: {format: raw, action_space: admissible, template: transcript}
rollout: {temperature: 0.7, max_tokens: 9}
horizon: {schedule: stages, turns: [4, 8], every: 3}
evaluation: {tasks: 12, temperature: 0.5}
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text(CONFIG)
    for step in ("2", "10", "12.partial"):
        (tmp_path / "checkpoints" / step).mkdir(parents=True)
    return tmp_path


def test_a_run_brings_its_last_checkpoint_and_its_settings(run: Path) -> None:
    found = find_subject(str(run))
    assert (found.kind, found.name, found.step) == ("local", str(run / "checkpoints" / "10"), 10)
    assert (found.settings.agent.format, found.settings.agent.action_space, found.settings.rollout.max_tokens) == (
        "raw",
        "admissible",
        9,
    )
    assert (found.settings.model.path, found.settings.model.tiny, found.settings.model.dtype) == (
        found.name,
        None,
        "float32",
    )
    assert found.run is not None
    assert ([one.id for one in found.run.worlds], found.run.horizon, found.run.evaluation.tasks) == (["textcraft"], 8, 12)


@pytest.mark.parametrize(
    ("world", "longest"),
    [
        ("{id: textcraft, turns: [2, 5]}", 5),
        ("{id: textcraft, turns: [4, 12]}", 12),
        ("{mix: [{id: textcraft, turns: [2, 5]}, {id: babyai}]}", 8),
        ("{mix: [{id: textcraft, turns: [2, 5]}, {id: babyai, turns: [3, 6]}]}", 6),
    ],
)
def test_a_run_is_evaluated_at_the_longest_horizon_its_worlds_end_with(run: Path, world: str, longest: int) -> None:
    other = "".join(line for line in CONFIG.splitlines(keepends=True) if not line.startswith("environment"))
    (run / "config.yaml").write_text(f"{other}environment: {world}\n")
    found = find_subject(str(run))
    assert found.run is not None
    assert found.run.horizon == longest


def test_a_tiny_models_checkpoint_is_computed_as_it_was_trained(run: Path) -> None:
    (run / "config.yaml").write_text(CONFIG.replace(", dtype: float32", ""))
    assert find_subject(str(run)).settings.model.dtype == "float32"
    (run / "config.yaml").write_text(CONFIG.replace("path: tiny, tiny: {hidden: 32}, dtype: float32", "path: x"))
    assert find_subject(str(run)).settings.model.dtype == "auto"


def test_a_checkpoint_of_a_run_and_its_overrides(run: Path) -> None:
    found = find_subject(str(run / "checkpoints" / "2"), ["agent.action_space=free", "agent.window.turns=3"])
    assert found.step == 2
    assert (found.settings.agent.action_space, found.settings.agent.format) == ("free", "raw")
    assert found.settings.agent.window.turns == 3


def test_models_without_a_run(tmp_path: Path) -> None:
    for what in (str(tmp_path), "smollm2-135m-instruct", "Qwen/Qwen2.5-7B-Instruct"):
        found = find_subject(what, ["agent.format=tags"])
        assert (found.kind, found.settings.model.path, found.run) == ("local", what, None)
        assert found.settings.agent.format == "tags"
    assert find_subject("openai:gpt-4.1:x").kind == "openai"


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("random", "player"),
        ("expert", "player"),
        ("shortcut:a b", "player"),
        ("fixed:x/y", "player"),
        ("shortcut", "shortcut"),
    ],
)
def test_players(what: str, kind: str) -> None:
    assert find_subject(what).kind == kind


def test_what_is_not_there_is_said(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing to evaluate is called 'exprt'; did you mean 'expert'\?"):
        find_subject("exprt")
    with pytest.raises(ConfigError, match=r"did you mean '.*checkpoints/10'"):
        find_subject(str(run / "checkpoints" / "11"))
    with pytest.raises(ConfigError, match="random is a player"):
        find_subject("random", ["agent.format=raw"])
    with pytest.raises(ConfigError, match=r"did you mean agent\.format"):
        find_subject(str(tmp_path), ["agent.forma=raw"])
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "config.yaml").write_text(CONFIG)
    with pytest.raises(ConfigError, match="no checkpoint yet"):
        find_subject(str(fresh))


def test_a_damaged_config_names_file_and_key(run: Path) -> None:
    (run / "config.yaml").write_text(CONFIG.replace("format: raw", "format: row"))
    with pytest.raises(ConfigError, match=r"config\.yaml: agent\.format: "):
        find_subject(str(run))


@pytest.mark.parametrize(
    "content", [b"", b"- a\n- b\n", b"run: \xff\xfe", b"horizon: 3", b"horizon: {turns: 3}", b"a: [", b"model: x"]
)
def test_a_config_that_holds_no_run_is_named(run: Path, content: bytes) -> None:
    (run / "config.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"config\.yaml:.* ") as raised:
        find_subject(str(run))
    assert "\n" not in str(raised.value)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    for nothing in ("", " "):
        with pytest.raises(ConfigError, match="nothing to evaluate is named: give a run's folder"):
            find_subject(nothing)
    file = tmp_path / "weights.bin"
    file.touch()
    with pytest.raises(ConfigError, match=r"weights\.bin is a file: give a run's folder"):
        find_subject(str(file))
