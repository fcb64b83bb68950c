"""What watches a run: the command line's table, trackers, the user's own code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym_rl.training.settings import TrainSettings

Metrics = Mapping[str, float | int | None]


class Callback:
    """Base of every watcher: override what is needed. An exception in one ends the run as a bug of the watcher."""

    def on_start(self, settings: TrainSettings, folder: Path, first_step: int) -> None:
        """The run is about to make step ``first_step`` (more than 1 when resumed)."""

    def on_message(self, text: str) -> None:
        """A line for people: what is being loaded, evaluated, saved; warnings."""

    def on_progress(self, phase: str, done: int, total: int) -> None:
        """Inside a long phase (``rollout``, ``update``, ``evaluation``): ``done`` of ``total`` episodes or tokens."""

    def on_step(self, metrics: Metrics) -> None:
        """A step was made; ``metrics`` is the line that went to ``metrics.jsonl``."""

    def on_evaluation(self, step: int, report: Mapping[str, Any]) -> None:
        """An evaluation was written to ``eval/STEP.json``; ``report`` is its content."""

    def on_end(self, summary: Mapping[str, Any]) -> None:
        """The run ended; ``summary`` is the content of ``summary.json``."""
