"""A score for every passage, in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.scoring import Found, Postings


class DenseSum:
    """Takes time and memory in proportion to the corpus."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings

    def __call__(self, terms: NDArray[np.int64], weights: NDArray[np.float32], k: int) -> Found:
        """See :data:`~agentgym_rl.environments.search.scoring.Best`."""
        postings = self._postings
        total = np.zeros(postings.count, np.float32)
        for term, weight in zip(terms, weights, strict=True):
            here = slice(postings.pointers[term], postings.pointers[term + 1])
            total[postings.passages[here]] += weight * postings.scores[here]
        found = np.flatnonzero(total)
        if len(found) > k:
            least = np.partition(total[found], -k)[-k]
            found = found[total[found] >= least]
        order = np.argsort(-total[found], kind="stable")[:k]
        return total[found[order]], found[order].astype(np.int32)
