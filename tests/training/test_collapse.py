"""Signals of collapse: when each is given, when not, and what a run does about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.training.collapse import EARLY, WINDOW, Collapsed, collapse_signals, last_good, new_signals

USUAL = {
    "success/mean": 0.2,
    "episodes/not_understood": 0.1,
    "kl/reference": 0.01,
    "kl/rollout": 1e-6,
    "grad_norm": 0.5,
    "entropy": 1.0,
    "episodes/truncated": 0.3,
}


def history(*recent: dict[str, Any], steps: int = 20) -> list[dict[str, Any]]:
    """``steps`` usual steps, then steps with the values given."""
    return [{"step": number, **USUAL, **more} for number, more in enumerate([*[{}] * steps, *recent], start=1)]


def metrics_of(records: list[dict[str, Any]]) -> list[str]:
    return [signal.metric for signal in collapse_signals(records)]


@pytest.mark.parametrize(
    ("metric", "healthy", "collapsed"),
    [
        ("episodes/not_understood", 0.29, 0.31),
        ("kl/reference", 0.99, 1.01),  # ten times the early one is less than the floor
        ("kl/rollout", 0.049, 0.051),
        ("grad_norm", 4.9, 5.1),
        ("entropy", 0.11, 0.09),
        ("entropy", 1.9, 2.1),
        ("episodes/truncated", 0.59, 0.61),
    ],
)
def test_each_signal_has_its_threshold(metric: str, healthy: float, collapsed: float) -> None:
    assert metrics_of(history(*[{metric: healthy}] * WINDOW)) == []
    assert metrics_of(history(*[{metric: collapsed}] * WINDOW)) == [metric]


def test_a_kl_that_was_large_from_the_start_is_compared_with_itself() -> None:
    records = [{"step": step, "kl/reference": 0.5} for step in range(1, 11)]
    assert metrics_of([*records, *[{"step": 11, "kl/reference": 4.9}] * WINDOW]) == []
    assert metrics_of([*records, *[{"step": 11, "kl/reference": 5.1}] * WINDOW]) == ["kl/reference"]


@pytest.mark.parametrize("metric", ["entropy", "episodes/truncated"])
def test_what_comes_with_success_is_no_collapse(metric: str) -> None:
    gone = {metric: {"entropy": 0.01, "episodes/truncated": 1.0}[metric]}
    assert metrics_of(history(*[{**gone, "success/mean": 0.3}] * WINDOW)) == []
    assert metrics_of(history(*[{**gone, "success/mean": 0.24}] * WINDOW)) == [metric]


def test_success_does_not_excuse_gradients() -> None:
    assert metrics_of(history(*[{"grad_norm": 6.0, "success/mean": 0.9}] * WINDOW)) == ["grad_norm"]


def test_a_spike_is_no_signal() -> None:
    assert metrics_of(history(*[{"grad_norm": 1e6}] * 2, {}, {}, {})) == []
    assert metrics_of(history({}, {}, *[{"grad_norm": 1e6}] * 3)) == ["grad_norm"]


def test_nothing_is_said_before_there_is_something_to_compare_with() -> None:
    records = history(*[{"grad_norm": 100.0}] * WINDOW, steps=EARLY)
    assert [bool(metrics_of(records[:length])) for length in (0, 1, EARLY + WINDOW - 1, EARLY + WINDOW)] == [0, 0, 0, 1]


def test_metrics_that_a_run_does_not_have_give_no_signal() -> None:
    records = [{"step": step, "success/mean": None, "kl/rollout": None} for step in range(1, 30)]
    assert collapse_signals(records) == []
    assert metrics_of([{"step": step, "grad_norm": 0.0} for step in range(1, 30)]) == []
    assert metrics_of(history(*[{"entropy": None}] * WINDOW)) == []


def test_a_signal_is_said_when_it_begins_and_when_it_comes_again() -> None:
    bad, good = {"grad_norm": 50.0}, dict[str, Any]()
    records = history(*[bad] * 6, *[good] * 6, *[bad] * 6)
    said = [length for length in range(len(records) + 1) if new_signals(records[:length])]
    assert said == [20 + 3, 20 + 12 + 3]


def test_a_signal_says_what_it_saw() -> None:
    (signal,) = collapse_signals(history(*[{"grad_norm": 50.0}] * WINDOW))
    assert str(signal) == "grad_norm is 50, in the first 10 steps it was 0.5"


def test_the_last_good_checkpoint_is_from_before_the_window() -> None:
    assert last_good([5, 10, 15, 20], 20) == 15
    assert last_good([5, 10, 15, 20], 19) == 10
    assert last_good([19, 20], 20) is None
    assert "no checkpoint" in str(Collapsed.at(20, [], None))


OVERRIDES = ("run.steps=16", "evaluation.every=0", "checkpoint.every=5", "checkpoint.keep=4")


def test_a_run_warns_once_and_goes_on(
    small_settings: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, lines = collapse_at(11, small_settings(tmp_path, *OVERRIDES), monkeypatch)
    warnings = [text for text in said if text.startswith("warning: ")]
    assert len(warnings) == 1
    assert "step 15: episodes/not_understood is 1, in the first 10 steps it was 0" in warnings[0]
    assert [line["collapse/signals"] for line in lines] == [0] * 14 + [1, 1]


def test_a_run_stops_and_names_the_last_good_checkpoint(
    small_settings: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = small_settings(tmp_path, *OVERRIDES, "algorithm.stop_on_collapse=true")
    with pytest.raises(Collapsed) as error:
        collapse_at(11, settings, monkeypatch)
    text = str(error.value)
    folder = tmp_path / "small" / "checkpoints"
    assert "step 15: the policy collapses: episodes/not_understood" in text
    assert f"last good checkpoint: {folder / '10'};" in text
    assert "\n" not in text
    assert sorted(path.name for path in folder.iterdir()) == ["10", "5"]  # none of what collapsed


def collapse_at(step: int, settings: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[dict[str, Any]]]:
    """Run with metrics that say that no action was understood from ``step`` on; the messages and the metrics."""
    from agentgym_rl.records.metrics import MetricsFile
    from agentgym_rl.training import trainer
    from agentgym_rl.training.api import train
    from agentgym_rl.training.callbacks import Callback

    made = trainer.episode_metrics
    count = 0

    def changed(*args: Any) -> Any:
        nonlocal count
        count += 1
        return {**made(*args), "episodes/not_understood": float(count >= step)}

    said: list[str] = []

    class Listener(Callback):
        def on_message(self, text: str) -> None:
            said.append(text)

    monkeypatch.setattr(trainer, "episode_metrics", changed)
    summary = train(settings, callbacks=[Listener()])
    return said, MetricsFile(Path(summary["folder"]) / "metrics.jsonl").read()
