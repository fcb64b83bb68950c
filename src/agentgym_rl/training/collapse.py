"""Signals that a policy is collapsing, from the metrics of the steps made.

A pure function of these metrics, so a resumed run sees and says what an uninterrupted one does. Everything is compared
with the run's own first steps: what is usual differs from world to world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

EARLY = 10
"""The first steps of the run: what is usual."""
WINDOW = 5
"""The last steps, whose median is compared with that of the early ones. One spike is no signal."""
BETTER = 0.05
"""Success this much above the early one: low entropy or longer episodes are then what was learned."""

Record = Mapping[str, Any]


class Collapsed(RuntimeError):
    """``algorithm.stop_on_collapse`` stopped the run; the message names the signals and the last good checkpoint."""

    @classmethod
    def at(cls, step: int, signals: Sequence[Signal], good: Path | None) -> Collapsed:
        """The error after ``step``. ``good``: the folder of the last good checkpoint, None where none is left."""
        checkpoint = (
            "no checkpoint from before that is left: lower checkpoint.every, raise checkpoint.keep"
            if good is None
            else f"last good checkpoint: {good}; model.path={good} starts another run from it"
        )
        return cls(f"step {step}: the policy collapses: {'; '.join(map(str, signals))}. {checkpoint}")


@dataclass(frozen=True, slots=True)
class Signal:
    """A metric that went where it does not go while a policy learns."""

    metric: str
    early: float
    """Its median over the first :data:`EARLY` steps."""
    recent: float
    """Its median over the last :data:`WINDOW` steps."""

    def __str__(self) -> str:
        return f"{self.metric} is {self.recent:.3g}, in the first {EARLY} steps it was {self.early:.3g}"


@dataclass(frozen=True, slots=True)
class _Rule:
    metric: str
    collapsed: Callable[[float, float], bool]
    """Of the early and the recent median."""
    unless_better: bool = False
    """Not while success is above the early one."""


_RULES = (
    _Rule("episodes/not_understood", lambda early, recent: recent >= early + 0.2),
    _Rule("kl/reference", lambda early, recent: recent >= max(1.0, 10 * early)),
    _Rule("kl/rollout", lambda early, recent: recent >= max(0.05, 10 * early)),
    _Rule("grad_norm", lambda early, recent: recent >= 10 * early > 0),
    _Rule("entropy", lambda early, recent: not 0.1 * early < recent < 2 * early and early > 0, unless_better=True),
    _Rule("episodes/truncated", lambda early, recent: recent >= early + 0.3, unless_better=True),
)


def collapse_signals(history: Sequence[Record]) -> list[Signal]:
    """The signals at the last step of ``history`` (the metrics of all steps, in order); none in the first
    :data:`EARLY` + :data:`WINDOW` - 1 steps.

    A metric counts in the steps that have it; one that is missing throughout either window gives no signal.
    """
    if len(history) < EARLY + WINDOW:
        return []
    early, recent = history[:EARLY], history[-WINDOW:]
    before, now = _median(early, "success/mean"), _median(recent, "success/mean")
    better = before is not None and now is not None and now >= before + BETTER
    found: list[Signal] = []
    for rule in _RULES:
        usual, value = _median(early, rule.metric), _median(recent, rule.metric)
        if usual is None or value is None or (rule.unless_better and better):
            continue
        if rule.collapsed(usual, value):
            found.append(Signal(rule.metric, usual, value))
    return found


def new_signals(history: Sequence[Record]) -> list[Signal]:
    """Those of :func:`collapse_signals` that the step before did not have: what is to be said."""
    earlier = {signal.metric for signal in collapse_signals(history[:-1])}
    return [signal for signal in collapse_signals(history) if signal.metric not in earlier]


def last_good(checkpoint_steps: Sequence[int], step: int) -> int | None:
    """The last checkpoint from before the window in which the signal of ``step`` was seen; None where none is left."""
    return max((saved for saved in checkpoint_steps if saved <= step - WINDOW), default=None)


def _median(records: Sequence[Record], metric: str) -> float | None:
    values = [float(record[metric]) for record in records if record.get(metric) is not None]
    return median(values) if values else None
