"""Trackers get the lines of ``metrics.jsonl``, each step once, also over a stop and a resume."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.config import load
from agentgym_rl.training.settings import TrainSettings
from agentgym_rl.training.tracking import TrackerMissing, make_trackers


def settings_for(*names: str) -> TrainSettings:
    project = ["tracking.project=demo"] if {"wandb", "trackio"} & set(names) else []
    return load(None, ["run.name=a", f"tracking.to=[{', '.join(names)}]", *project], TrainSettings).settings


def line(step: int) -> dict[str, Any]:
    return {"step": step, "reward/mean": step / 8, "loss/value": None}


def run(name: str, folder: Path, steps: range, *, end: bool = True) -> None:
    """One process of a run: from its first step to its last."""
    settings = settings_for(name)
    (tracker,) = make_trackers(settings.tracking)
    tracker.on_start(settings, folder, steps.start)
    for step in steps:
        tracker.on_step(line(step))
    if end:
        tracker.on_end({})


class Service:
    """Stands in for the modules ``wandb`` and ``trackio``: remembers what it was sent."""

    def __init__(self) -> None:
        self.runs: list[dict[str, Any]] = []
        self.logged: list[tuple[int, dict[str, Any]]] = []
        self.finished = 0

    def init(self, **arguments: Any) -> Service:
        self.runs.append(arguments)
        return self

    def log(self, metrics: dict[str, Any], step: int) -> None:
        self.logged.append((step, metrics))

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture(params=["wandb", "trackio"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Service]:
    module: Any = types.ModuleType(request.param)
    made = Service()
    module.init, module.log, module.finish = made.init, made.log, made.finish
    monkeypatch.setitem(sys.modules, request.param, module)
    return request.param, made


def test_metrics_and_settings_are_sent(service: tuple[str, Service], tmp_path: Path) -> None:
    name, made = service
    run(name, tmp_path, range(1, 3))
    assert made.logged == [(step, {"reward/mean": step / 8}) for step in (1, 2)]
    assert made.finished == 1
    assert made.runs[0]["project"] == "demo"
    assert made.runs[0]["name"].startswith("a")
    assert made.runs[0]["config"]["run"]["name"] == "a"


def test_steps_made_again_are_not_sent_again(service: tuple[str, Service], tmp_path: Path) -> None:
    """Stopped after step 5 with a checkpoint of step 3: steps 4 and 5 are made again."""
    name, made = service
    run(name, tmp_path, range(1, 6), end=False)
    run(name, tmp_path, range(4, 8))
    assert [step for step, _ in made.logged] == [1, 2, 3, 4, 5, 6, 7]
    first, second = made.runs
    assert (first["name"], first.get("id"), second["resume"]) == (second["name"], second.get("id"), "allow")


def test_another_run_of_the_same_name_is_another_run_there(service: tuple[str, Service], tmp_path: Path) -> None:
    name, made = service
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        run(name, tmp_path / folder, range(1, 2))
    first, second = made.runs
    assert (first["name"], first.get("id")) != (second["name"], second.get("id"))


def test_tensorboard_hides_what_was_made_again(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run("tensorboard", tmp_path, range(1, 6), end=False)
    run("tensorboard", tmp_path, range(4, 8))
    events = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    scalars = events.Scalars("reward/mean")
    assert [(one.step, one.value) for one in scalars] == [(step, step / 8) for step in range(1, 8)]
    assert events.Tags()["scalars"] == ["reward/mean"]


@pytest.mark.parametrize(
    ("name", "module"), [("wandb", "wandb"), ("trackio", "trackio"), ("tensorboard", "torch.utils.tensorboard")]
)
def test_a_missing_package_is_named_before_anything_runs(monkeypatch: pytest.MonkeyPatch, name: str, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(TrackerMissing, match=rf"tracking\.to has {name}.*pip install 'agentgym-rl\[{name}\]'") as raised:
        make_trackers(settings_for(name).tracking)
    assert "\n" not in str(raised.value)


def test_no_tracker_unless_asked_for() -> None:
    assert make_trackers(settings_for().tracking) == []
