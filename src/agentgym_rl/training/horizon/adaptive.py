"""The stage an adaptive horizon has reached, from the metrics of earlier steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentgym_rl.training.horizon.settings import AdaptiveHorizon

Record = Mapping[str, Any]


def adaptive_stage(settings: AdaptiveHorizon, step: int, history: Iterable[Record]) -> int:
    """Index into ``settings.turns`` for ``step``.

    The records of steps before ``step`` are replayed in the order of their ``step``. Inside a stage the success and
    truncation of its steps are collected; after each step the stage ends if

    - *mastered*: the mean of the last ``window`` values of ``success/mean`` is at least ``success``; or
    - *held back*: the mean of the last ``window`` values of ``episodes/truncated`` is at least ``truncated`` and mean
      success rose by less than ``gain`` from the window before it (so this takes ``2 * window`` steps).

    Both are means over all episodes that a step sampled, groups that dynamic sampling replaced included, so redrawing what is
    solved does not hide that a horizon is mastered.

    A new stage starts with an empty collection. More records can only add stages: the horizon never shrinks. Records
    without a success (a step lost to faults) count for nothing.
    """
    stage = 0
    successes: list[float] = []
    truncations: list[float] = []
    for record in sorted((record for record in history if record["step"] < step), key=lambda record: int(record["step"])):
        success = record.get("success/mean")
        if success is None:
            continue
        successes.append(float(success))
        truncations.append(float(record.get("episodes/truncated") or 0.0))
        if _mastered(settings, successes) or _held_back(settings, successes, truncations):
            stage += 1
            successes, truncations = [], []
            if stage == len(settings.turns) - 1:
                break
    return min(stage, len(settings.turns) - 1)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _mastered(settings: AdaptiveHorizon, successes: list[float]) -> bool:
    return len(successes) >= settings.window and _mean(successes[-settings.window :]) >= settings.success


def _held_back(settings: AdaptiveHorizon, successes: list[float], truncations: list[float]) -> bool:
    window = settings.window
    if len(successes) < 2 * window or _mean(truncations[-window:]) < settings.truncated:
        return False
    return _mean(successes[-window:]) - _mean(successes[-2 * window : -window]) < settings.gain
