"""BM25 over an index."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from agentgym_rl.environments.search.index.analyzer import terms
from agentgym_rl.environments.search.index.format import BM25, Manifest
from agentgym_rl.environments.search.index.passages import open_passages
from agentgym_rl.environments.search.index.postings import open_postings
from agentgym_rl.environments.search.index.vocabulary import Vocabulary
from agentgym_rl.environments.search.retrieval import Hit
from agentgym_rl.environments.search.scoring import best_of

LONGEST_QUERY = 1 << 16
"""Characters; the rest of a longer query is not looked at."""
MOST_TERMS = 512
"""Of a query with more different terms the rarest count: its time is bounded, and they decide."""
_WORTH_A_THREAD = 8
"""Queries."""


class Bm25Retriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Raises OSError, ValueError: a file is not there, or damaged."""
        self._manifest = manifest
        self._postings = open_postings(folder / BM25, manifest)
        self._best = best_of(self._postings)
        self._vocabulary = Vocabulary(folder / BM25)
        self._store = open_passages(folder, manifest.shards)

    @property
    def identity(self) -> str:
        return f"bm25 {self._manifest.identity}"

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        threads = min(len(os.sched_getaffinity(0)), len(queries) // _WORTH_A_THREAD)
        if threads < 2:
            return [self._one(query, k) for query in queries]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda query: self._one(query, k), queries))

    def close(self) -> None:
        self._vocabulary.close()
        self._store.close()

    def _one(self, query: str, k: int) -> list[Hit]:
        return [Hit(self._store[place], score) for place, score in self.places(query, k)]

    def places(self, query: str, k: int) -> list[tuple[int, float]]:
        """Places in the corpus and scores."""
        known = self._known(query)
        k = min(k, self._manifest.passages)
        if not known or k < 1:
            return []
        numbers = np.fromiter(known.keys(), np.int64, len(known))
        weights = np.fromiter(known.values(), np.float32, len(known))
        scores, places = self._best(numbers, weights, k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))

    def _known(self, query: str) -> dict[int, int]:
        """Number → how often, of the query's terms that the index has: rare ones first, which leaves least to look at."""
        counted = Counter(terms(query[:LONGEST_QUERY]))
        numbers = {number: times for term, times in counted.items() if (number := self._vocabulary.number(term)) is not None}
        pointers = self._postings.pointers
        chosen = sorted((int(pointers[number + 1] - pointers[number]), number) for number in numbers)[:MOST_TERMS]
        return {number: numbers[number] for _, number in chosen}
