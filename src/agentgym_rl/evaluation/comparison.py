"""Before against after on the same tasks, with the players beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agentgym_rl.evaluation.intervals import Interval, paired_difference
from agentgym_rl.evaluation.metrics import Outcome, task_means
from agentgym_rl.evaluation.report import Report
from agentgym_rl.evaluation.table import NONE, aligned, ends, number


class NotComparable(ValueError):
    """Two reports were made under different conditions."""


CONDITIONS = ("split", "horizon", "temperature", "seed", "samples", "action_space")
"""Settings that both sides must share, where both say them: a player has no action space."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one set of tasks changed: means of the shared tasks on both sides, and the paired difference."""

    before: float
    after: float
    difference: Interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """What :func:`compare` returns."""

    before: Report
    after: Report
    success: Change
    score: Change
    categories: Mapping[str, Change]
    """Success by category."""

    def as_dict(self) -> dict[str, Any]:
        """JSON values: ``success``, ``score`` and each of ``categories`` as ``{before, after, difference}``."""
        return {
            "before": self.before.name,
            "after": self.after.name,
            "success": asdict(self.success),
            "score": asdict(self.score),
            "categories": {name: asdict(one) for name, one in self.categories.items()},
        }


def compare(before: Report, after: Report) -> Comparison:
    """Compare two reports on the tasks both have.

    Raises :class:`NotComparable` where they share no task or were made under other conditions.
    """
    for key in CONDITIONS:
        one, other = before.settings.get(key), after.settings.get(key)
        if None not in (one, other) and one != other:
            raise NotComparable(
                f"{before.name} and {after.name} were evaluated with different {key} ({one} and {other}): "
                "evaluate both alike"
            )
    success, score = _change(before.outcomes, after.outcomes), _change(before.outcomes, after.outcomes, "score")
    if success is None or score is None:
        raise NotComparable(f"{before.name} and {after.name} share no task")
    labels = {one.key: one.category for one in before.outcomes}
    if len(before.environments) > 1:
        labels = {one.key: f"{one.environment}/{one.category}" for one in before.outcomes}
    categories = {}
    for label in dict.fromkeys(labels.values()):
        change = _change([one for one in before.outcomes if labels[one.key] == label], after.outcomes)
        if change is not None:
            categories[label] = change
    return Comparison(before, after, success, score, categories)


def _change(before: Sequence[Outcome], after: Sequence[Outcome], of: str = "success") -> Change | None:
    first, second = task_means(before, of), task_means(after, of)
    difference = paired_difference(first, second)
    if difference is None:
        return None
    old, new = (math.fsum(side[task] for task in first if task in second) / difference.tasks for side in (first, second))
    return Change(old, new, difference)


def comparison_table(comparison: Comparison, players: Mapping[str, Report] | None = None) -> str:
    """For people: success by category and overall before and after, the paired difference, and each player's success."""
    shown = dict(players or {})
    rows = [["", "tasks", "before", "after", "change", "95 %", *shown]]
    several = len(comparison.categories) > 1
    for name, one in [*(comparison.categories.items() if several else ()), ("all", comparison.success)]:
        beside = [
            player.overall.success
            if name == "all"
            else player.categories[name].success
            if name in player.categories
            else None
            for player in shown.values()
        ]
        rows.append(
            [
                name,
                str(one.difference.tasks),
                number(one.before),
                number(one.after),
                f"{one.difference.value:+.3f}",
                ends(one.difference, "+"),
                *(NONE if value is None else number(value.value) for value in beside),
            ]
        )
    return aligned(rows)
