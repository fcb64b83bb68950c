"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.environments.search.retrieval import Hit, Passage, Retriever

DEPTH = 100
"""Hits of each retriever that count."""
CONSTANT = 60
"""The paper's: how little the first ranks stand out."""


class HybridRetriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever`; a passage scores 1 / (60 + its rank), summed."""

    def __init__(self, retrievers: Sequence[Retriever]) -> None:
        """``retrievers``: over the same passages. Of equally good passages those of the first come first."""
        self._retrievers = retrievers

    @property
    def identity(self) -> str:
        return f"hybrid ({'; '.join(one.identity for one in self._retrievers)})"

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        answers = [one.retrieve(queries, max(k, DEPTH)) for one in self._retrievers]
        return [_fused(lists)[:k] for lists in zip(*answers, strict=True)]

    def close(self) -> None:
        for one in self._retrievers:
            one.close()


def _fused(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    scores: dict[Passage, float] = {}
    for hits in lists:
        for rank, hit in enumerate(hits, 1):
            scores[hit.passage] = scores.get(hit.passage, 0.0) + 1 / (CONSTANT + rank)
    best = sorted(scores, key=scores.__getitem__, reverse=True)
    return [Hit(passage, scores[passage]) for passage in best]
