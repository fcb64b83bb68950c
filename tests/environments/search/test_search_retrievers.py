"""What stands before a retriever: a cache, batches, fusion. And the one behind HTTP."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.kinds import Kind
from agentgym_rl.environments.search.retrieval import Hit, Passage
from agentgym_rl.environments.search.retrievers.batched import BatchedRetriever
from agentgym_rl.environments.search.retrievers.cached import CachedRetriever
from agentgym_rl.environments.search.retrievers.hybrid import HybridRetriever
from agentgym_rl.environments.search.retrievers.opening import open_retriever
from agentgym_rl.environments.search.retrievers.remote import RemoteRetriever


class Told:
    """Finds passages named after the query and writes down what it is asked. Faults when a query says so."""

    def __init__(self, answers=None):
        self.calls = []
        self.closed = False
        self.answers = answers
        self.asked = threading.Event()
        self.go = threading.Event()
        self.go.set()

    identity = "told"

    def retrieve(self, queries, k):
        self.calls.append((list(queries), k))
        self.asked.set()
        assert self.go.wait(60)
        if "fault" in queries:
            raise EnvironmentFault("gone")
        if self.answers is not None:
            return [[Hit(Passage(id, id), 1.0) for id in self.answers[:k]] for _ in queries]
        return [[Hit(Passage(f"{query}{rank}", query), 1 / (rank + 1)) for rank in range(k)] for query in queries]

    def close(self):
        self.closed = True


def ids(found):
    return [[hit.passage.id for hit in hits] for hits in found]


def test_the_cache_asks_once_for_what_it_knows():
    inner = Told()
    cached = CachedRetriever(inner)
    first = cached.retrieve(["a", "b", "a"], 2)
    assert cached.retrieve(["b", "c", "a"], 2)[2] == first[0] == first[2]
    cached.retrieve(["a"], 3)
    assert inner.calls == [(["a", "b"], 2), (["c"], 2), (["a"], 3)]
    first[0].clear()
    assert len(cached.retrieve(["a"], 2)[0]) == 2, "whoever changes an answer changes nobody else's"
    cached.close()
    assert (inner.closed, cached.identity) == (True, "told")


def test_the_cache_forgets_what_was_not_asked_for_longest():
    inner = Told()
    cached = CachedRetriever(inner, entries=2)
    for query in ("a", "b", "a", "c", "a", "b"):
        cached.retrieve([query], 1)
    assert [queries for queries, _ in inner.calls] == [["a"], ["b"], ["c"], ["b"]]
    long = "x" * 5000
    cached.retrieve([long], 1)
    cached.retrieve([long], 1)
    assert [queries for queries, _ in inner.calls[4:]] == [[long], [long]]


def test_the_cache_does_not_remember_faults():
    inner = Told()
    cached = CachedRetriever(inner)
    for _ in range(2):
        with pytest.raises(EnvironmentFault):
            cached.retrieve(["fault"], 1)
    assert len(inner.calls) == 2


def test_what_many_ask_meanwhile_is_asked_together():
    inner = Told()
    inner.go.clear()
    batched = BatchedRetriever(inner, most=8)
    with ThreadPoolExecutor(32) as pool:
        first = pool.submit(batched.retrieve, ["first"], 1)
        assert inner.asked.wait(60)
        others = [pool.submit(batched.retrieve, [f"q{number}", "x"], 1 + number % 2) for number in range(12)]
        while len(batched._waiting) < 12:  # all have come
            pass
        inner.go.set()
        assert ids(first.result(60)) == [["first0"]]
        for number, one in enumerate(others):
            k = 1 + number % 2
            assert ids(one.result(60)) == [[f"{query}{rank}" for rank in range(k)] for query in (f"q{number}", "x")]
    assert inner.calls[0] == (["first"], 1)
    assert sorted(len(queries) for queries, _ in inner.calls[1:]) == [4, 4, 8, 8]


def test_a_fault_is_everybodys_who_asked_with_it():
    inner = Told()
    inner.go.clear()
    batched = BatchedRetriever(inner)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(batched.retrieve, ["first"], 1)
        assert inner.asked.wait(60)
        others = [pool.submit(batched.retrieve, [query], 1) for query in ("fault", "good")]
        while len(batched._waiting) < 2:
            pass
        inner.go.set()
        assert first.result(60)
        for one in others:
            with pytest.raises(EnvironmentFault, match="gone"):
                one.result(60)
    assert ids(batched.retrieve(["good"], 1)) == [["good0"]]


def test_fusion_prefers_what_both_find():
    hybrid = HybridRetriever([Told(["a", "b", "c"]), Told(["d", "b", "a"])])
    assert ids(hybrid.retrieve(["x"], 3)) == [["a", "b", "d"]]
    found = hybrid.retrieve(["x"], 10)[0]
    assert {hit.passage.id: hit.score for hit in found}["a"] == pytest.approx(1 / 61 + 1 / 63)
    assert ids([found])[0] == ["a", "b", "d", "c"]
    assert hybrid.identity == "hybrid (told; told)"
    hybrid.close()
    assert all(one.closed for one in hybrid._retrievers)


DOCUMENT = {"id": "7", "contents": "Title\ntext"}


@contextmanager
def answering(answers):
    """A retrieval server that gives these answers (status, body) one after another, and then the last one again."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))), dict(self.headers)))
            status, body = answers[min(len(asked), len(answers)) - 1]
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        ({"document": DOCUMENT, "score": 2.5}, Hit(Passage("7", "Title\ntext"), 2.5)),
        (DOCUMENT, Hit(Passage("7", "Title\ntext"), 1.0)),
        ({"document": {"id": 7, "title": "Title", "text": "text"}}, Hit(Passage("7", "Title\ntext"), 1.0)),
        ({"document": {"contents": "Title\ntext"}}, Hit(Passage("b987f43e355d5972", "Title\ntext"), 1.0)),
    ],
)
def test_the_servers_that_there_are_are_understood(hit, expected, monkeypatch):
    monkeypatch.setenv("AGENTGYM_RL_TOKEN", "a token of one's own")
    with answering([(200, {"result": [[hit], []]})]) as (address, asked), closing(RemoteRetriever(address, 60)) as retriever:
        found = retriever.retrieve(["capital", "\ud800"], 3)
        assert retriever.retrieve([], 3) == []
    assert found == [[expected], []]
    path, body, headers = asked[0]
    assert (path, body) == ("/retrieve", {"queries": ["capital", "\ud800"], "topk": 3, "return_scores": True})
    assert headers["Authorization"] == "Bearer a token of one's own"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, b"<html>", "does not answer in Search-R1's format"),
        (200, {"results": []}, "does not answer in Search-R1's format"),
        (200, {"result": []}, "0 answers to 1 queries"),
        (200, {"result": [["text"]]}, "does not answer in Search-R1's format"),
        (200, {"result": [[{"contents": 3}]]}, "contents is no string"),
        (200, {"result": [[{"id": 3}]]}, "does not answer in Search-R1's format"),
        (401, b"", "wants a token: set AGENTGYM_RL_TOKEN"),
        (500, b"out of memory", "status 500: out of memory"),
    ],
)
def test_a_wrong_answer_is_a_fault(status, body, message):
    with answering([(status, body)]) as (address, _), pytest.raises(EnvironmentFault, match=message):
        RemoteRetriever(address, 60).retrieve(["capital"], 3)


def test_a_busy_server_is_asked_again():
    with answering([(503, b"busy"), (200, {"result": [[DOCUMENT]]})]) as (address, asked):
        assert ids(RemoteRetriever(f"{address}/retrieve", 60).retrieve(["capital"], 3)) == [["7"]]
    assert len(asked) == 2


def test_a_server_that_stays_busy_is_a_fault():
    with (
        answering([(503, b"busy")]) as (address, _),
        pytest.raises(DeadlinePassed, match=r"no answer to 1 queries in 0\.3 s"),
    ):
        RemoteRetriever(address, 0.3).retrieve(["capital"], 3)


def test_no_server_is_a_fault_and_never_an_empty_answer():
    with answering([]) as (address, _):
        pass
    with pytest.raises(EnvironmentFault, match=r"does not answer: .*; is the retrieval server up"):
        open_retriever(address).retrieve(["capital"], 3)


def test_opening(index, tmp_path):
    with closing(open_retriever(str(index))) as retriever:
        assert ids(retriever.retrieve(["Norway"], 1)) == [["2"]]
    with pytest.raises(IndexRefused, match="no index there"):
        open_retriever(str(tmp_path))
    for kind in (Kind.DENSE, Kind.HYBRID):
        with pytest.raises(IndexRefused, match="an index without embeddings; add them with: agentgym-rl search embed"):
            open_retriever(str(index), kind)
    with pytest.raises(ValueError, match="a server has its own kind of retriever"):
        open_retriever("http://127.0.0.1:8000", Kind.DENSE)
