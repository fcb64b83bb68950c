"""Both ways to find the best passages find those that adding everything up finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_rl.environments.search.scoring import SMALL, Postings, best_of, compiled
from agentgym_rl.environments.search.scoring.dense_sum import DenseSum


def random_postings(seed, count, terms):
    draw = np.random.default_rng(seed)
    passages, scores, pointers = [], [], [0]
    for _ in range(terms):
        here = np.flatnonzero(draw.random(count) < draw.choice([0.01, 0.1, 0.6]))
        passages.append(here.astype(np.int32))
        scores.append(draw.choice([0.5, 1.0, 1.5, 2.25], len(here)).astype(np.float32))
        pointers.append(pointers[-1] + len(here))
    most = np.array([of_term.max(initial=0) for of_term in scores], np.float32)
    return Postings(np.concatenate(scores), np.concatenate(passages), np.array(pointers), most, count)


def slowly(postings, terms, weights, k):
    total = np.zeros(postings.count, np.float32)
    for term, weight in zip(terms, weights, strict=True):
        for place in range(postings.pointers[term], postings.pointers[term + 1]):
            total[postings.passages[place]] += weight * postings.scores[place]
    order = sorted(np.flatnonzero(total), key=lambda place: (-total[place], place))[:k]
    return total[order].tolist(), list(map(int, order))


def uncompiled(postings):
    def best(terms, weights, k):
        bounds = weights.astype(np.float64) * postings.most[terms]
        rest = np.append(np.cumsum(bounds[::-1])[::-1], 0.0)
        return compiled._loop(postings.scores, postings.passages, postings.pointers, terms, weights, rest, k, postings.count)

    return best


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000), st.integers(1, 80), st.sets(st.integers(0, 5), min_size=1), st.integers(1, 20))
def test_as_slowly(seed, count, chosen, k):
    postings = random_postings(seed, count, 6)
    terms = np.array(sorted(chosen))
    weights = np.random.default_rng(seed).choice([1, 2, 3], len(terms)).astype(np.float32)
    expected = slowly(postings, terms, weights, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "BLOCK", 16)
        for best in (DenseSum(postings), uncompiled(postings)):
            scores, places = best(terms, weights, k)
            assert (scores.tolist(), places.tolist()) == expected


def test_small_corpora_need_no_compiler():
    assert isinstance(best_of(random_postings(0, 10, 2)), DenseSum)


@pytest.mark.slow
def test_compiled_it_is_the_same():
    postings = random_postings(0, SMALL + 5000, 8)
    best, expected = best_of(postings), DenseSum(postings)
    assert isinstance(best, compiled.Compiled)
    for chosen in ([0], [1, 2, 3], list(range(8))):
        terms, weights = np.array(chosen), np.ones(len(chosen), np.float32)
        for k in (1, 10, 1000):
            for found, wanted in zip(best(terms, weights, k), expected(terms, weights, k), strict=True):
                assert np.array_equal(found, wanted)
