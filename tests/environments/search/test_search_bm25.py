"""BM25 over a built index: what is found, in which order, whatever is asked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import bm25s
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentgym_rl.environments.search import scoring
from agentgym_rl.environments.search.index import open_index
from agentgym_rl.environments.search.index.analyzer import terms
from agentgym_rl.environments.search.retrievers import bm25


@pytest.fixture(scope="module")
def retriever(index):
    with closing(open_index(index)) as opened:
        yield opened


def ids(retriever, query, k=3):
    return [hit.passage.id for hit in retriever.retrieve([query], k)[0]]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What is the capital of Norway?", "2"),
        ("Norwegian currency", "2"),
        ("which country has the domain .is", "1"),
        ("東京 首都", "3"),
        ("राजधानी", "4"),
        ("naive cafe", "5"),
    ],
)
def test_the_best_passage_comes_first(retriever, query, first):
    assert ids(retriever, query)[0] == first


@pytest.mark.parametrize("query", ["", "   ", "the of and", "zebra", "!?", "\ud800", "\0", "ξένος"])
def test_a_query_without_a_known_word_finds_nothing(retriever, query):
    assert ids(retriever, query) == []


def test_equally_good_passages_come_in_the_order_of_the_corpus(retriever):
    found = retriever.retrieve(["twins"], 2)[0]
    assert [hit.passage.id for hit in found] == ["6", "7"]
    assert found[0].score == found[1].score


def test_as_many_as_wanted_and_no_more(retriever, passages):
    assert retriever.retrieve(["capital"], 0) == [[]]
    assert len(ids(retriever, "capital", 2)) == 2
    assert len(ids(retriever, "capital", 1000)) == 3
    assert retriever.retrieve([], 3) == []
    assert retriever.retrieve(["capital"], 3)[0][0].passage in passages


def test_every_query_of_a_batch_gets_its_own_answer(retriever):
    queries = ["Norway", "", "Iceland", "Norway"] * 20
    assert retriever.retrieve(queries, 3) == [retriever.retrieve([query], 3)[0] for query in queries]


def test_many_threads_find_the_same(retriever):
    expected = retriever.retrieve(["capital currency"], 3)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(lambda _: retriever.retrieve(["capital currency"], 3), range(64)))


def test_a_query_of_ten_thousand_words_is_answered(retriever):
    assert ids(retriever, "Oslo " + " ".join(f"word{number}" for number in range(10_000)))[0] == "2"
    assert ids(retriever, "Oslo " * 10_000)[0] == "2"


def test_of_too_many_terms_the_rarest_count(retriever, monkeypatch):
    monkeypatch.setattr(bm25, "MOST_TERMS", 1)
    assert ids(retriever, "capital currency Oslo") == ["2"]


def test_what_lies_beyond_the_longest_query_is_not_looked_at(retriever, monkeypatch):
    monkeypatch.setattr(bm25, "LONGEST_QUERY", 6)
    assert ids(retriever, "Norway Iceland") == ["2"]


def test_identity_tells_kind_corpus_and_content(retriever):
    assert retriever.identity.startswith("bm25 places sha256:")
    assert retriever.identity.endswith("8 passages")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(), st.integers(0, 9))
def test_any_text_is_answered(index, query, k):
    with closing(open_index(index)) as retriever:
        found = retriever.retrieve([query], k)[0]
    assert len(found) <= k
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_scores_are_those_of_bm25s(retriever, passages):
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index([terms(passage.contents) for passage in passages], show_progress=False)
    for query in ("capital of Norway", "currency euro Nicosia", "same words", "東京"):
        expected = theirs.get_scores(terms(query))
        for hit in retriever.retrieve([query], len(passages))[0]:
            assert hit.score == pytest.approx(expected[int(hit.passage.id)], rel=1e-5)


def test_bm25s_opens_the_index(index, retriever):
    theirs = bm25s.BM25.load(index / "bm25", mmap=True, load_vocab=False)
    names = (index / "bm25" / "terms.txt").read_text(encoding="utf-8").splitlines()
    numbers = np.array([names.index(term) for term in terms("capital of Norway")])
    expected = theirs.get_scores_from_ids(numbers)
    for hit in retriever.retrieve(["capital of Norway"], 3)[0]:
        assert hit.score == pytest.approx(expected[int(hit.passage.id)], rel=1e-5)


@pytest.mark.slow
def test_the_compiled_search_of_large_indexes_finds_the_same(index, retriever, monkeypatch):
    monkeypatch.setattr(scoring, "SMALL", 0)
    queries = ["capital of Norway", "currency euro Nicosia", "twins", "", "日本 capital", "words " * 1000]
    with closing(open_index(index)) as large:
        for k in (1, 3, 100):
            assert large.retrieve(queries, k) == retriever.retrieve(queries, k)
