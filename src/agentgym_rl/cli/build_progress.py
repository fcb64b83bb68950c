"""What ``search build`` shows while it works: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from agentgym_rl.environments.search.corpora import Corpus
    from agentgym_rl.environments.search.retrieval import Passage

_EVERY = 4096
"""Passages."""
_LINES = 10
"""A phase, in a log."""


class BuildProgress:
    """A context manager: it owns the screen."""

    def __init__(self, console: Console, passages: int = 0) -> None:
        """``passages``: how many there are, if that is known."""
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[passages]:,} passages"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("reading", total=1.0, passages=0)
        self._phase = "reading"
        self._lines = 0
        self._passages = passages

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def watched(self, corpus: Corpus) -> Iterator[Passage]:
        """The corpus, telling how far it has been read."""
        count = 0
        for count, passage in enumerate(corpus, 1):
            yield passage
            if count % _EVERY == 0:
                self._at("reading", corpus.fraction, count)
        self._at("reading", 1.0, count)

    def built(self, phase: str, passages: int) -> None:
        """How many passages are through a phase of the building."""
        self._passages = max(self._passages, passages)  # reading comes first: then it is how many there are
        if phase != "reading":
            self._at(phase, passages / self._passages, passages)

    def _at(self, phase: str, fraction: float, passages: int) -> None:
        if phase != self._phase:
            self._bar.reset(self._task, description=phase)
            self._phase, self._lines = phase, 0
        self._bar.update(self._task, completed=fraction, passages=passages)
        line = int(fraction * _LINES)
        if not self._console.is_terminal and line > self._lines:
            self._console.print(f"{phase}: {line / _LINES:.0%}, {passages:,} passages")
            self._lines = line
