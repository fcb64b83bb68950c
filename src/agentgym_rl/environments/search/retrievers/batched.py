"""Asks for many at once: what costs much a call costs little a query."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from agentgym_rl.environments.search.retrieval import Hit, Retriever

MOST = 256
"""Queries a call, unless one caller alone has more."""


@dataclass(slots=True, eq=False)
class _Waiting:
    queries: Sequence[str]
    k: int
    answer: Future[list[list[Hit]]] = field(default_factory=Future)


class BatchedRetriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever` before another, of which one call is under way at a time.

    What many threads ask while a call is under way goes into the next one together. Nobody waits for others to come.
    """

    def __init__(self, inner: Retriever, most: int = MOST) -> None:
        self._inner = inner
        self._most = most
        self._waiting: list[_Waiting] = []
        self._lock = threading.Lock()
        self._asking = threading.Lock()

    @property
    def identity(self) -> str:
        return self._inner.identity

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        mine = _Waiting(queries, k)
        with self._lock:
            self._waiting.append(mine)
        with self._asking:  # whoever comes in asks for all who wait; they find their answers when their turn comes
            if not mine.answer.done():
                self._ask(self._taken_with(mine))
        return mine.answer.result()

    def close(self) -> None:
        self._inner.close()

    def _taken_with(self, mine: _Waiting) -> list[_Waiting]:
        taken = [mine]
        size = len(mine.queries)
        with self._lock:
            for other in self._waiting:
                if other is not mine and other.k == mine.k and size + len(other.queries) <= self._most:
                    taken.append(other)
                    size += len(other.queries)
            self._waiting = [other for other in self._waiting if other not in taken]
        return taken

    def _ask(self, taken: list[_Waiting]) -> None:
        try:
            answers = iter(self._inner.retrieve([query for one in taken for query in one.queries], taken[0].k))
            for one in taken:
                one.answer.set_result([next(answers) for _ in one.queries])
        except BaseException as error:  # theirs as well as mine, an interrupt among them: none shall wait for ever
            for one in taken:
                if not one.answer.done():
                    one.answer.set_exception(error)
