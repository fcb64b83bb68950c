"""MaxScore (Turtle and Flood 1995), compiled by numba: most postings of frequent words are never looked at.

bm25s's own loop looks at every posting, keeps a score for every passage, leaves ties in no order and is compiled in every
process anew, for seconds. This one works on the same arrays; what it is compiled to is kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.scoring import Found, Postings

BLOCK = 1 << 13
"""Passages that are scored together: their scores stay in the processor's cache, and there are good ones to compare with soon."""
_SLACK = 1.0 + 1e-4
"""Bounds are raised by it, because sums of 32-bit numbers are rounded."""


class Compiled:
    """Keeps no state between queries; many threads may call it, and run at the same time."""

    def __init__(self, postings: Postings) -> None:
        """Compiles, where no process has done so before: that takes seconds, which the first query shall not wait for."""
        self._postings = postings
        self(np.empty(0, np.int64), np.empty(0, np.float32), 1)

    def __call__(self, terms: NDArray[np.int64], weights: NDArray[np.float32], k: int) -> Found:
        """See :data:`~agentgym_rl.environments.search.scoring.Best`."""
        postings = self._postings
        bounds = weights.astype(np.float64) * postings.most[terms]
        rest = np.append(np.cumsum(bounds[::-1])[::-1], 0.0)
        found: Found = _best(postings.scores, postings.passages, postings.pointers, terms, weights, rest, k, postings.count)
        return found


def _loop(
    scores: NDArray[np.float32],
    passages: NDArray[np.int32],
    pointers: NDArray[np.int64],
    terms: NDArray[np.int64],
    weights: NDArray[np.float32],
    rest: NDArray[np.float64],
    k: int,
    count: int,
) -> Found:
    """``rest[i]`` is the most that ``terms[i:]`` can add to a passage's score. Quickest with rare terms first."""
    best_scores = np.zeros(k, np.float32)
    best_places = np.full(k, -1, np.int32)
    sums = np.zeros(BLOCK, np.float32)
    touched = np.empty(BLOCK, np.int32)
    at = pointers[terms]
    end = pointers[terms + 1]
    found = 0
    needed = len(terms)  # a passage with none of terms[:needed] can't be among the best
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        full = found == k
        least = np.float64(best_scores[k - 1]) / _SLACK
        while full and needed > 0 and rest[needed - 1] <= least:
            needed -= 1
        touches = 0
        for t in range(needed):
            i = at[t]
            while i < end[t] and passages[i] < stop:
                place = passages[i] - start
                if sums[place] == 0:
                    touched[touches] = place
                    touches += 1
                sums[place] += weights[t] * scores[i]
                i += 1
            at[t] = i
        chosen = 0
        if full:
            for place in touched[:touches]:
                if sums[place] + rest[needed] > least:
                    touched[chosen] = place
                    chosen += 1
                else:
                    sums[place] = 0
            touched[:chosen].sort()
        else:  # nearly all: quicker looked through than sorted
            for place in range(stop - start):
                if sums[place] > 0:
                    touched[chosen] = place
                    chosen += 1
        for t in range(needed, len(terms)):
            i = at[t]
            for place in touched[:chosen]:
                if sums[place] + rest[t] <= least:
                    continue
                wanted = place + start
                step = 1  # gallop to the first posting that is not before it
                high = i
                while high < end[t] and passages[high] < wanted:
                    i = high + 1
                    high += step
                    step *= 2
                high = min(high, end[t])
                while i < high:
                    middle = (i + high) // 2
                    if passages[middle] < wanted:
                        i = middle + 1
                    else:
                        high = middle
                if i < end[t] and passages[i] == wanted:
                    sums[place] += weights[t] * scores[i]
            at[t] = i
        for place in touched[:chosen]:
            score = sums[place]
            sums[place] = 0
            if found == k and score <= best_scores[k - 1]:
                continue
            rank = min(found, k - 1)  # behind those that are as good: they come first in the corpus
            while rank > 0 and best_scores[rank - 1] < score:
                best_scores[rank] = best_scores[rank - 1]
                best_places[rank] = best_places[rank - 1]
                rank -= 1
            best_scores[rank] = score
            best_places[rank] = place + start
            found = min(found + 1, k)
    return best_scores[:found], best_places[:found]


def _compiled() -> Callable[..., Any]:
    try:
        return numba.njit(nogil=True, cache=True)(_loop)
    except RuntimeError:  # there is no folder that it could be kept in
        return numba.njit(nogil=True)(_loop)


_best = _compiled()
