"""The contract between an index and whoever searches it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a corpus, in the shape of the public ones: ``contents`` is the title, a newline, the text."""

    id: str
    contents: str

    @property
    def title(self) -> str:
        """The first line, without the quotation marks that Wikipedia corpora put around it."""
        return self.contents.partition("\n")[0].strip().strip('"')

    @property
    def text(self) -> str:
        return self.contents.partition("\n")[2]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, and how well it fits: higher is better, comparable within one answer only."""

    passage: Passage
    score: float


class Retriever(Protocol):
    """Finds passages. One object serves many threads."""

    @property
    def identity(self) -> str:
        """What answers: kind, corpus and version, e.g. ``bm25 factbook-2025 sha256:…``. Results name it."""
        ...

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most ``k`` hits a query, best first, ties by place in the corpus; none for a query without a known word.

        Raises:
            EnvironmentFault: what answers is gone, or took longer than its deadline. Never an empty answer instead.
        """
        ...

    def close(self) -> None:
        """Free files and connections. Idempotent."""
        ...
