"""Remembers answers: the episodes of a group ask much the same."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from agentgym_rl.environments.search.retrieval import Hit, Retriever

ENTRIES = 4096
"""At about 3 kB each, with three hits of a hundred words."""
_LONGEST = 4096
"""Characters; the answers to longer queries are not kept."""

_Key = tuple[str, int]


class CachedRetriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever` before another; faults are not remembered."""

    def __init__(self, inner: Retriever, entries: int = ENTRIES) -> None:
        self._inner = inner
        self._entries = entries
        self._kept: OrderedDict[_Key, list[Hit]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        return self._inner.identity

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        known = self._known(queries, k)
        missing = [query for query in dict.fromkeys(queries) if query not in known]
        if missing:
            for query, hits in zip(missing, self._inner.retrieve(missing, k), strict=True):
                known[query] = hits
                self._keep((query, k), hits)
        return [list(known[query]) for query in queries]

    def close(self) -> None:
        self._inner.close()

    def _known(self, queries: Sequence[str], k: int) -> dict[str, list[Hit]]:
        found: dict[str, list[Hit]] = {}
        with self._lock:
            for query in queries:
                hits = self._kept.get((query, k))
                if hits is not None:
                    self._kept.move_to_end((query, k))
                    found[query] = hits
        return found

    def _keep(self, key: _Key, hits: list[Hit]) -> None:
        if len(key[0]) > _LONGEST:
            return
        with self._lock:
            self._kept[key] = hits
            if len(self._kept) > self._entries:
                self._kept.popitem(last=False)
