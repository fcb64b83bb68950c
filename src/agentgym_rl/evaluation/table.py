"""Plain-text tables: for logs, terminals of any kind, and pasting."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from agentgym_rl.evaluation.intervals import Interval
from agentgym_rl.evaluation.report import Report, Summary

NONE = "–"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """``rows`` (the first is the head) as columns two blanks apart: the first to the left, the others to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        blanks = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [cell + blank if not i else blank + cell for i, (cell, blank) in enumerate(zip(row, blanks, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def number(value: float | None, digits: int = 3) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def value(interval: Interval | None) -> str:
    return NONE if interval is None else number(interval.value)


def ends(interval: Interval | None, sign: str = "") -> str:
    """The ends of an interval; ``sign`` ``"+"`` shows the sign of both."""
    return NONE if interval is None else f"[{interval.low:{sign}.3f}, {interval.high:{sign}.3f}]"


def report_table(report: Report) -> str:
    """A report for people: a line a category and one for all, then what was lost or unreadable."""
    sizes = [k for k in report.overall.pass_at if k != "1"]
    rows = [["", "tasks", "success", "95 %", "score", "95 %", *(f"pass@{k}" for k in sizes), "turns"]]
    summaries = list(report.categories.items()) if len(report.categories) > 1 else []
    for name, one in [*summaries, ("all", report.overall)]:
        rows.append(
            [
                name,
                str(one.tasks),
                value(one.success),
                ends(one.success),
                value(one.score),
                ends(one.score),
                *(number(one.pass_at.get(k)) for k in sizes),
                number(one.turns, 1),
            ]
        )
    return "\n".join([_headline(report), aligned(rows), *_remarks(report, report.overall)])


def _headline(report: Report) -> str:
    settings = report.settings
    said = [f"{key} {settings[key]:g}" for key in ("horizon", "temperature", "seed") if settings.get(key) is not None]
    where = ", ".join(report.environments)
    episodes = f"{len(report.outcomes)} episodes"
    return f"{report.name} on {where} {settings.get('split', '')}".rstrip() + f" ({', '.join([episodes, *said])})"


def _remarks(report: Report, overall: Summary) -> list[str]:
    remarks = []
    if overall.truncated:
        remarks.append(f"{overall.truncated:.0%} of the episodes were cut by the horizon, the context or the world's limit")
    if overall.not_understood:
        remarks.append(f"{overall.not_understood:.0%} of the turns were not understood")
    if overall.faults:
        causes = "; ".join(f"{cause} ({count}×)" for cause, count in list(report.faults.items())[:3])
        remarks.append(f"{overall.faults} episodes were lost to faults and are in no number: {causes}")
    return remarks
