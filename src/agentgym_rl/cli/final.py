"""The last screen of a run: what it reached, beside whom, and what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentgym_rl.cli.live import duration

if TYPE_CHECKING:
    from agentgym_rl.training.summary import RunSummary


def show_summary(summary: RunSummary, console: Console) -> None:
    """Print the summary of a finished run."""
    console.print()
    console.print(_headline(summary), style="bold")
    console.print(_numbers(summary))
    if summary["episodes"] is not None:
        console.print(_episodes(summary["episodes"]["before"], summary["episodes"]["after"]))
    console.print(_places(summary))


def _headline(summary: RunSummary) -> str:
    memory = summary["peak_memory_bytes"]
    used = f", {memory / 2**30:.1f} GiB at most" if memory else ""
    return f"{summary['steps']} steps in {duration(summary['seconds'])}{used}"


def _numbers(summary: RunSummary) -> Table:
    table = Table(
        title=f"Success on {summary['tasks']} held-out tasks of {summary['environment']}"
        f" ({summary['horizon']} turns, temperature {summary['temperature']:g})",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    table.add_column("")
    table.add_column("success", justify="right")
    table.add_column("95 %", justify="right")
    for name in ("before", "after"):
        one = summary["before"] if name == "before" else summary["after"]
        table.add_row(name, f"{one['success']:.3f}", f"[{one['low']:.3f}, {one['high']:.3f}]")
    change = summary["difference"]
    table.add_row(
        "difference (paired)", f"{change['mean']:+.3f}", f"[{change['low']:+.3f}, {change['high']:+.3f}]", style="bold"
    )
    for name, success in summary["players"].items():
        table.add_row(f"{name} player", f"{success:.3f}", "")
    free = summary["free"]
    if free is not None:
        table.add_row("free actions: before, after", f"{free['before']:.3f}, {free['after']:.3f}", "")
    return table


def _episodes(before: str, after: str) -> Table:
    """Two transcripts side by side. They are plain text already: nothing in them is markup."""
    table = Table(title="One held-out task", title_justify="left", show_lines=False, expand=True)
    table.add_column("before", ratio=1, overflow="fold")
    table.add_column("after", ratio=1, overflow="fold")
    table.add_row(Text(before), Text(after))
    return table


def _places(summary: RunSummary) -> Table:
    checkpoint = shlex.quote(summary["checkpoint"])
    world = summary["environment"].partition(",")[0]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")  # a path or command that is cut is of no use
    table.add_row("Everything lies in", summary["folder"])
    if summary["curve"]:
        table.add_row("The curve", summary["curve"])
    table.add_row("The model", f"{summary['checkpoint']} (Hugging Face format)")
    table.add_row("", "")
    table.add_row("Watch it play", f"agentgym-rl play {world} --split test --model {checkpoint}")
    table.add_row("Evaluate it", f"agentgym-rl eval {checkpoint}")
    table.add_row("Train another", "agentgym-rl train CONFIG run.name=NAME run.seed=1")
    return table
