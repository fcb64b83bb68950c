"""``agentgym-rl train``: what it passes on, prints and exits with. The trainer is stood in for."""

from __future__ import annotations

import io
import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agentgym_rl.cli.final import show_summary
from agentgym_rl.config import load
from agentgym_rl.records.errors import DiskFull, RunExists
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.settings import TrainSettings
from agentgym_rl.training.summary import RunSummary

TINY = str(Path(__file__).parents[2] / "configs" / "tiny.yaml")


def summary(**changes: Any) -> RunSummary:
    content: Any = {
        "environment": "textcraft",
        "tasks": 100,
        "horizon": 8,
        "temperature": 1.0,
        "before": {"success": 0.01, "low": 0.0, "high": 0.03},
        "after": {"success": 0.46, "low": 0.36, "high": 0.56},
        "difference": {"mean": 0.45, "low": 0.35, "high": 0.55},
        "players": {"random": 0.17, "shortcut:craft_goal_else_get": 0.3, "expert": 1.0},
        "free": {"before": 0.0, "after": 0.02},
        "episodes": {"before": "Goal: [bold]x[/bold]\n> inventory", "after": "Goal: x\n> get 1 oak log\n> craft x"},
        "steps": 18,
        "seconds": 754.2,
        "peak_memory_bytes": 5 * 2**30,
        "folder": "runs/quickstart",
        "checkpoint": "runs/quickstart/checkpoints/18",
        "curve": "runs/quickstart/curve.png",
    }
    return {**content, **changes}  # type: ignore[typeddict-item]


def test_settings_reach_the_trainer_and_the_summary_is_shown(invoke: Callable[..., Any], api: types.ModuleType) -> None:
    calls = []

    def train(settings: TrainSettings, *, resume: bool, callbacks: list[Any]) -> RunSummary:
        calls.append((settings, resume, callbacks))
        return summary()

    api.train = train  # type: ignore[attr-defined]
    result = invoke("train", TINY, "run.seed=7", "--resume")
    assert result.code == 0
    (settings, resume, callbacks) = calls[0]
    assert settings == load(TINY, ["run.seed=7"], TrainSettings).settings
    assert resume is True
    assert len(callbacks) == 1
    for words in (
        "18 steps in 12:34, 5.0 GiB at most",
        "Success on 100 held-out tasks of textcraft (8 turns, temperature 1)",
        "0.010 [0.000, 0.030]",
        "0.460 [0.360, 0.560]",
        "+0.450 [+0.350, +0.550]",
        "random player",
        "0.170",
        "shortcut:craft_goal_else_get player",
        "expert player",
        "0.000, 0.020",
        "runs/quickstart/curve.png",
        "Goal: [bold]x[/bold]",
        "agentgym-rl play textcraft --split test --model runs/quickstart/checkpoints/18",
        "agentgym-rl eval runs/quickstart/checkpoints/18",
    ):
        assert words in " ".join(result.output.split())
    (row,) = [line for line in result.output.splitlines() if "inventory" in line]
    assert "get 1 oak log" in row  # side by side


def test_a_narrow_terminal_folds_paths_and_commands() -> None:
    stream = io.StringIO()
    show_summary(summary(episodes=None), Console(file=stream, width=40))
    _, _, places = stream.getvalue().partition("Everything")
    assert places
    assert "…" not in places


def test_the_summary_as_json(invoke: Callable[..., Any], api: types.ModuleType) -> None:
    api.train = lambda *_, **__: summary(free=None, episodes=None, curve=None, peak_memory_bytes=None)  # type: ignore[attr-defined]
    assert json.loads(invoke("train", TINY, "--json").output)["difference"]["mean"] == 0.45
    shown = invoke("train", TINY).output
    assert "None" not in shown
    assert "free" not in shown


def test_notes_on_dropped_keys_are_printed(invoke: Callable[..., Any], api: types.ModuleType) -> None:
    api.train = lambda *_, **__: summary()  # type: ignore[attr-defined]
    result = invoke("train", TINY, "model.path=smollm2-135m-instruct")
    assert "note: " in result.errors
    assert "model.tiny dropped: model.path=smollm2-135m-instruct leaves it without effect" in result.errors


def test_control_c_says_how_to_go_on(invoke: Callable[..., Any], api: types.ModuleType, tmp_path: Path) -> None:
    def train(settings: TrainSettings, **_: Any) -> None:
        if settings.run.steps != 1:
            RunFolder.create(settings.run.root, settings.run.name).config.write_text("")
        raise KeyboardInterrupt

    api.train = train  # type: ignore[attr-defined]
    root = f"run.root={tmp_path}"
    result = invoke("train", TINY, root, "run.name=a b")
    assert result.code == 130
    assert result.errors == f"stopped; go on with: agentgym-rl train {TINY} {root} 'run.name=a b' --resume\n"
    again = invoke("train", TINY, root, "--resume")
    assert again.errors.count("--resume") == 1
    early = invoke("train", TINY, root, "run.name=c", "run.steps=1")
    assert (
        early.errors == f"stopped; nothing was begun, start with: agentgym-rl train {TINY} {root} run.name=c run.steps=1\n"
    )


@pytest.mark.parametrize("steps", [[], [9, 10]])
def test_a_disk_that_gives_up_names_the_last_checkpoint(
    invoke: Callable[..., Any], api: types.ModuleType, tmp_path: Path, steps: list[int]
) -> None:
    def train(settings: TrainSettings, **_: Any) -> None:
        with RunFolder.create(settings.run.root, settings.run.name) as folder:
            folder.config.write_text("")
            for step in steps:
                folder.checkpoint(step).mkdir()
            raise DiskFull("metrics.jsonl: the disk is full")

    api.train = train  # type: ignore[attr-defined]
    root = f"run.root={tmp_path}"
    result = invoke("train", TINY, root)
    last = f"the last good checkpoint is {tmp_path}/tiny/checkpoints/10" if steps else "there is no checkpoint yet"
    assert result.code == 1
    assert result.errors == (
        f"error: metrics.jsonl: the disk is full\n{last}; once that is mended, go on with: "
        f"agentgym-rl train {TINY} {root} --resume\n"
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RunExists("runs/x exists already. Go on with it: add --resume. Start another: add run.name=NAME"), 2),
        (DiskFull("runs/x: the disk is full"), 1),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), 2),
        (PermissionError(13, "Permission denied", "/somewhere"), 1),
    ],
)
def test_errors_of_the_run(invoke: Callable[..., Any], api: types.ModuleType, error: Exception, code: int) -> None:
    def train(*_: Any, **__: Any) -> None:
        raise error

    api.train = train  # type: ignore[attr-defined]
    result = invoke("train", TINY)
    assert result.code == code
    assert result.errors.startswith("error: ")
    if isinstance(error, ModuleNotFoundError):
        assert result.errors == "error: this needs torch: pip install 'agentgym-rl[train]'\n"


def test_a_bug_is_not_hidden(invoke: Callable[..., Any], api: types.ModuleType) -> None:
    def train(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    api.train = train  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError):
        invoke("train", TINY)


def test_a_dry_run_trains_nothing(invoke: Callable[..., Any], api: types.ModuleType, tmp_path: Path) -> None:
    api.dry_run = lambda settings: {"memory": {"total_bytes": 3 * 2**30, "fits": True}, "steps": settings.run.steps}  # type: ignore[attr-defined]
    result = invoke("train", TINY, "run.steps=4", "--dry-run")
    assert result.code == 0
    assert "total: 3.00 GiB" in result.output
    settings, _, _ = result.output.partition("memory:")
    (tmp_path / "again.yaml").write_text(settings)
    assert load(tmp_path / "again.yaml", [], TrainSettings) == load(TINY, ["run.steps=4"], TrainSettings)
    as_json = json.loads(invoke("train", TINY, "--dry-run", "--json").output)
    assert as_json["memory"]["fits"] is True
    assert as_json["settings"]["run"]["name"] == "tiny"


def test_every_setting_is_explained(invoke: Callable[..., Any]) -> None:
    result = invoke("train", "--help-settings")
    assert result.code == 0
    for words in (
        "horizon.every  integer; default required; schedule=stages",
        "model.tiny  section; default null; read when path",
    ):
        assert words in result.output
