"""Metrics of micro-batches, added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentgym_rl.training.losses.inputs import Tally


def add_tallies(parts: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """The tallies of all parts under each name, added up."""
    total: dict[str, Tally] = {}
    for part in parts:
        for name, (sums, count) in part.items():
            known = total.get(name)
            total[name] = (sums, count) if known is None else (known[0] + sums, known[1] + count)
    return total


def means(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """The mean of each metric; metrics that counted nothing are left out."""
    return {name: float(sums) / float(count) for name, (sums, count) in tallies.items() if count > 0}
