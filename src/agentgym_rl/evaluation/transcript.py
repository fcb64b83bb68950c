"""An episode as text for people. Whatever a model wrote, the terminal that shows it stays as it was."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator

from rich.cells import chop_cells, set_cell_size

from agentgym_rl.records.trajectory import Trajectory, Turn

_ENDINGS = {
    "terminated": "ended by the world",
    "truncated": "cut by the world's limit",
    "horizon": "out of turns",
    "context": "out of context",
    "fault": "lost to a fault",
}


def transcript(trajectory: Trajectory, width: int = 88) -> str:
    """The episode turn by turn, wrapped at ``width`` cells; actions after ``>``, what could not be read after ``?``."""
    return "\n".join(_lines(trajectory, width))


def side_by_side(
    left: Trajectory, right: Trajectory, titles: tuple[str, str] = ("before", "after"), width: int = 120
) -> str:
    """Two episodes (of one task, say) in two columns of ``width`` cells in all."""
    column = (width - 3) // 2
    rows = itertools.zip_longest(
        *([title, "─" * column, *_lines(one, column)] for one, title in zip((left, right), titles, strict=True)),
        fillvalue="",
    )
    return "\n".join(f"{set_cell_size(first, column)} │ {second}".rstrip() for first, second in rows)


def printable(text: str) -> str:
    """``text`` with everything that could move a cursor, change a colour or reorder a line shown as its escape."""
    return "".join(
        one if one == "\n" or unicodedata.category(one)[0] not in "C" else one.encode("unicode_escape").decode()
        for one in text
    )


def _lines(trajectory: Trajectory, width: int) -> Iterator[str]:
    yield from _wrapped(f"task {trajectory.task} ({trajectory.category}, {trajectory.environment})", width)
    for turn in trajectory.turns:
        yield from _wrapped(turn.observation, width)
        yield from _action(turn, width)
    if trajectory.final_observation:
        yield from _wrapped(trajectory.final_observation, width)
    verdict = "success" if trajectory.success else "no success"
    yield from _wrapped(
        f"= {verdict}, score {trajectory.score:g}, {len(trajectory.turns)} turns: {_ENDINGS[trajectory.ended]}", width
    )
    for cause in trajectory.faults:
        yield from _wrapped(f"! fault: {cause}", width)


def _action(turn: Turn, width: int) -> Iterator[str]:
    """The action, and the message where it says more than that."""
    message = turn.message.strip()
    if turn.action is None:
        yield from _wrapped(message or "(nothing)", width, "? ")
        yield from _wrapped(turn.problem or "not understood", width, "  ")
        return
    if message != turn.action.strip():
        yield from _wrapped(message, width, "… ")
    yield from _wrapped(turn.action or "(empty action)", width, "> " if turn.understood else "? ")


def _wrapped(text: str, width: int, mark: str = "") -> Iterator[str]:
    """Lines of at most ``width`` cells, cut at a blank where one is near; the first starts with ``mark``."""
    for line in printable(text).strip("\n").split("\n"):
        rest = line.rstrip()
        while True:
            head = (chop_cells(rest, width - len(mark)) or [rest])[0]  # nothing, or no width at all: no piece
            if len(head) < len(rest):
                blank = head.rfind(" ", len(head) // 2)
                head = head[:blank] if blank > 0 else head
            yield (mark + head).rstrip()
            rest, mark = rest[len(head) :].lstrip() if len(head) < len(rest) else "", " " * len(mark)
            if not rest:
                break
