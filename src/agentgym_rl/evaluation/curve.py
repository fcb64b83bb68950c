"""The training curve as a picture. Every step is a point; the line is their running mean and hides none of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym_rl.records.atomic import write_atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _SOFT, _GRID = "#24292f", "#6e7781", "#e6e8eb"
_TRAINING, _EVALUATION = "#3572b0", "#d1602c"
_LABEL_HEIGHT = 0.05
"""Of a player's label, in units of success."""
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
}


def draw_curve(
    path: Path,
    metrics: Sequence[Mapping[str, Any]],
    evaluations: Mapping[str, Mapping[str, Any]],
    players: Mapping[str, float],
    title: str,
) -> None:
    """Draw a run to ``path`` (PNG, 1800 × 1050 pixels).

    ``metrics``: the lines of ``metrics.jsonl``; ``step``, ``success/mean`` and ``horizon`` are drawn.
    ``evaluations``: reports (:meth:`Report.as_dict`) by label, ``before`` and ``after`` among them, drawn at their
    ``step`` with their intervals. ``players``: success by name, dashed; of ``shortcut:NAME`` the kind alone is written.
    Needs matplotlib (the ``train`` extra).
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 5.25), dpi=200, facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(5, 1))
        last = max([1, *(int(line["step"]) for line in metrics), *(int(one["step"]) for one in evaluations.values())])
        _training(upper, metrics)
        _evaluations(upper, evaluations)
        _players(upper, players)
        _horizon(lower, metrics)
        upper.set_title(title, loc="left", fontsize=13.5, fontweight="bold", pad=34)
        upper.set_ylabel("success")
        upper.set_ylim(-0.02, 1.04)
        upper.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        lower.set_ylabel("horizon")
        lower.set_xlabel("step (updates of the weights)")
        lower.set_xlim(-0.02 * last, last * 1.02)
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))
        upper.grid(axis="y", color=_GRID, linewidth=0.8)
        for axes in (upper, lower):
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(length=0)
        if upper.get_legend_handles_labels()[0]:
            upper.legend(
                loc="lower left",
                bbox_to_anchor=(0, 1),
                frameon=False,
                ncols=3,
                borderpad=0,
                handlelength=1.4,
                columnspacing=1.8,
            )
        picture = BytesIO()
        figure.savefig(picture, format="png")
    write_atomic(path, picture.getvalue())


def running_mean(values: Sequence[float], window: int) -> list[float]:
    """The mean of each value and the ``window - 1`` before it: it looks at the past only, and shorter at the start."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return [float(sums[i + 1] - sums[max(0, i + 1 - window)]) / min(window, i + 1) for i in range(len(values))]


def _training(axes: Axes, metrics: Sequence[Mapping[str, Any]]) -> None:
    points = [(int(line["step"]), float(line["success/mean"])) for line in metrics if line.get("success/mean") is not None]
    if not points:
        return
    steps, values = zip(*points, strict=True)
    window = max(3, round(len(values) / 12))
    axes.plot(steps, values, "o", color=_TRAINING, alpha=0.4, markersize=5, markeredgewidth=0, label="training, each step")
    if len(values) > window:
        axes.plot(steps, running_mean(values, window), color=_TRAINING, linewidth=2.2, label=f"mean of {window} steps")


def _evaluations(axes: Axes, evaluations: Mapping[str, Mapping[str, Any]]) -> None:
    from matplotlib.patheffects import withStroke

    shown = [(label, int(one["step"]), one["overall"]["success"]) for label, one in evaluations.items()]
    shown = [one for one in shown if one[2] is not None]
    for position, (label, step, found) in enumerate(sorted(shown, key=lambda one: one[1])):
        value = found["value"]
        axes.errorbar(
            step,
            value,
            yerr=[[value - found["low"]], [found["high"] - value]],
            fmt="D",
            color=_EVALUATION,
            markersize=7,
            capsize=4,
            linewidth=1.8,
            zorder=5,
            clip_on=False,
            label="held-out tasks, 95 %" if not position else None,
        )
        if label in ("before", "after"):
            aside = {"before": (11, "left"), "after": (-11, "right")}[label]
            axes.annotate(
                f"{label} {value:.0%}",
                (step, value),
                xytext=(aside[0], 0),
                textcoords="offset points",
                ha=aside[1],
                va="center",
                color=_EVALUATION,
                fontweight="bold",
                zorder=6,
                path_effects=[withStroke(linewidth=3.5, foreground="white")],
            )


def _players(axes: Axes, players: Mapping[str, float]) -> None:
    known = sorted((value, name) for name, value in players.items() if not math.isnan(value))
    at = -math.inf
    for value, name in known:
        axes.axhline(value, color=_SOFT, linewidth=1.1, linestyle=(0, (4, 3)), zorder=1)
        at = max(value, at + _LABEL_HEIGHT)  # labels of players alike are moved apart
        axes.annotate(
            f"{name.partition(':')[0]} {value:.0%}",
            (1, at),
            xycoords=("axes fraction", "data"),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=_SOFT,
            fontsize=9.5,
        )


def _horizon(axes: Axes, metrics: Sequence[Mapping[str, Any]]) -> None:
    points = [(int(line["step"]), float(line["horizon"])) for line in metrics if line.get("horizon") is not None]
    axes.set_yticks([])
    if not points:
        return
    most = max(turns for _, turns in points)
    axes.set_ylim(0, most * 1.1)
    for turns, stage in itertools.groupby(points, key=lambda point: point[1]):
        steps = [step for step, _ in stage]
        first, last = steps[0] - 1, steps[-1]
        axes.fill_between((first, last), turns, color="#d6e2f0", linewidth=0)
        if last - first > 0.05 * points[-1][0]:
            axes.text(
                (first + last) / 2, turns / 2, f"{turns:g} turns", ha="center", va="center", color="#40648c", fontsize=9.5
            )
