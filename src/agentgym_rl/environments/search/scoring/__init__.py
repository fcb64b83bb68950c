"""Finds the best passages of a query in an index's postings: in NumPy for small corpora, compiled for large ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SMALL = 1 << 16
"""Up to so many passages NumPy is quick enough, and the seconds and the memory that a compiler takes are saved."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Which passages have which terms, and what that is worth. The postings of term ``t`` are ``pointers[t]:pointers[t + 1]``."""

    scores: NDArray[np.float32]
    """[postings]"""
    passages: NDArray[np.int32]
    """[postings], ascending within a term."""
    pointers: NDArray[np.int64]
    """[terms + 1]"""
    most: NDArray[np.float32]
    """[terms]: the largest of the term's scores."""
    count: int
    """Passages."""


Found = tuple[NDArray[np.float32], NDArray[np.int32]]
"""Scores and places of passages: best first, ties by place."""
Best = Callable[[NDArray[np.int64], NDArray[np.float32], int], Found]
"""(terms, how often the query has each, k) → the best ``k`` passages that have a term. Every way to find them adds a passage's
scores up in the order of the terms, so that all find the same.
"""


def best_of(postings: Postings) -> Best:
    """What finds the best passages, for a corpus of this size."""
    if postings.count <= SMALL:
        from agentgym_rl.environments.search.scoring.dense_sum import DenseSum

        return DenseSum(postings)
    from agentgym_rl.environments.search.scoring.compiled import Compiled

    return Compiled(postings)
