"""Scoring, compiled by numba.

bm25s has this loop too. Ours gives ties their order, works in a buffer that fits the cache whatever the corpus's size, and is
compiled once for all processes (bm25s compiles in each one, for seconds).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 16
"""Passages that are scored together: 256 KiB of scores."""


def _best(
    scores: NDArray[np.float32],
    passages: NDArray[np.int32],
    pointers: NDArray[np.int64],
    terms: NDArray[np.int64],
    weights: NDArray[np.float32],
    k: int,
    count: int,
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    best_scores = np.zeros(k, np.float32)
    best_places = np.full(k, -1, np.int32)
    block_scores = np.zeros(BLOCK, np.float32)
    at = pointers[terms]
    end = pointers[terms + 1]
    found = 0
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        touched = False
        for t in range(len(terms)):
            i = at[t]
            last = end[t]
            weight = weights[t]
            while i < last and passages[i] < stop:
                block_scores[passages[i] - start] += weight * scores[i]
                i += 1
            if i > at[t]:
                touched = True
                at[t] = i
        if not touched:
            continue
        for offset in range(stop - start):
            score = block_scores[offset]
            block_scores[offset] = 0
            if score <= 0 or (found == k and score <= best_scores[k - 1]):
                continue
            place = min(found, k - 1)  # insert behind the ones that are as good: they come first in the corpus
            while place > 0 and best_scores[place - 1] < score:
                best_scores[place] = best_scores[place - 1]
                best_places[place] = best_places[place - 1]
                place -= 1
            best_scores[place] = score
            best_places[place] = start + offset
            found = min(found + 1, k)
    return best_scores[:found], best_places[:found]


def _compiled() -> Callable[..., Any]:
    try:
        return numba.njit(nogil=True, cache=True)(_best)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that the cache could be written to
        return numba.njit(nogil=True)(_best)  # type: ignore[no-any-return]


best = _compiled()
"""``(scores, passages, pointers, terms, weights, k, count)`` → scores and places of the best ``k``, best first, ties by place.

``scores`` and ``passages`` are [postings], those of term ``t`` at ``pointers[t]:pointers[t + 1]``, by ascending passage;
``weights[i]`` says how often the query has ``terms[i]``; ``count`` is the number of passages. Passages without a term of the
query are left out.
"""
