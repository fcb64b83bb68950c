"""What a run shows while it works."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agentgym_rl.cli.live import Clock, LiveTable, PlainLog, duration
from agentgym_rl.config import load
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.settings import TrainSettings

SETTINGS = load(None, ["run.steps=3", "run.name=demo"], TrainSettings).settings


def metrics(step: int, **changes: Any) -> dict[str, Any]:
    return {
        "step": step,
        "horizon": 6,
        "reward/mean": 0.125,
        "success/mean": 0.25,
        "turns/mean": 4.5,
        "kl/rollout": 0.0012,
        "tokens_per_second/rollout": 318.4,
        "time/step": 10.0,
        **changes,
    }


def play(watcher: Callback) -> None:
    """A run of three steps, one of them without numbers."""
    watcher.on_message("loading [the] model")
    watcher.on_start(SETTINGS, Path("runs/demo"), 1)
    watcher.on_evaluation(0, {"overall": {"tasks": 100, "success": {"value": 0.1, "low": 0.05, "high": 0.16}}})
    for step in (1, 2, 3):
        watcher.on_progress("rollout", 3, 16)
        watcher.on_progress("update", 100, 900)
        watcher.on_step(metrics(step) if step != 2 else {"step": 2, "horizon": 6, "reward/mean": None, "time/step": 20.0})
    watcher.on_evaluation(3, {"overall": {"tasks": 0, "success": None}})


def test_a_log_has_a_line_a_step() -> None:
    stream = io.StringIO()
    with PlainLog(Console(file=stream, soft_wrap=True, markup=False, highlight=False)) as log:
        play(log)
    lines = stream.getvalue().splitlines()
    assert lines == [
        "loading [the] model",
        "run demo begins at step 1 of 3, in runs/demo",
        "evaluation after step 0: success 0.100 [0.050, 0.160] on 100 tasks",
        "step 1/3  horizon 6  reward 0.125  success 0.250  turns 4.5  KL 0.0012  tokens/s 318  s/step 10.0  left 0:20",
        "step 2/3  horizon 6  reward –  success –  turns –  KL –  tokens/s –  s/step 20.0  left 0:15",
        "step 3/3  horizon 6  reward 0.125  success 0.250  turns 4.5  KL 0.0012  tokens/s 318  s/step 10.0  left 0:00",
        "evaluation after step 3: every episode was lost to faults",
    ]


def test_a_log_tells_quarters_of_an_evaluation() -> None:
    stream = io.StringIO()
    log = PlainLog(Console(file=stream))
    for done in range(1, 101):
        log.on_progress("evaluation", done, 100)
    assert stream.getvalue().splitlines() == [f"evaluation: {done} of 100" for done in (25, 50, 75, 100)]


def test_the_table_shows_steps_messages_and_the_phase() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None, markup=False)
    with LiveTable(console) as table:
        play(table)
    shown = stream.getvalue()
    for words in (
        "demo: smollm2-135m-instruct on textcraft, in runs/demo",
        "loading [the] model",
        "1/3",
        "3/3",
        "0.0012",
        "update",
    ):
        assert words in shown
    assert "success 0.100 [0.050, 0.160] on 100 tasks" in shown


def test_the_table_keeps_the_screen_small() -> None:
    console = Console(file=io.StringIO(), width=120)
    table = LiveTable(console)
    table.on_start(SETTINGS, Path("runs/demo"), 7)
    for step in range(1, 200):
        table.on_message(f"message {step}")
        table.on_step(metrics(step))
    assert len(console.render_lines(table._render())) < 24


def test_kl_to_the_reference_comes_first_where_there_is_one() -> None:
    stream = io.StringIO()
    log = PlainLog(Console(file=stream, width=200))
    log.on_start(SETTINGS, Path("x"), 2)
    log.on_step(metrics(2, **{"kl/reference": 0.5}))
    log.on_step(metrics(3, **{"kl/reference": -1e-9}))
    assert "goes on at step 2" in stream.getvalue()
    assert "KL 0.5000" in stream.getvalue()
    assert "KL 0.0000" in stream.getvalue()


def test_time_left_follows_the_last_steps() -> None:
    clock = Clock(100)
    for step in range(1, 21):
        clock.left(metrics(step, **{"time/step": 1.0}))
    for step in range(21, 26):
        left = clock.left(metrics(step, **{"time/step": 4.0}))
    assert left == "5:00"


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (245, "4:05"), (3723, "1:02:03")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
