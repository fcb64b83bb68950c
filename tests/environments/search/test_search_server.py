"""Search-R1's retrieval API, over a real socket."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.search.index import open_index
from agentgym_rl.environments.search.retrievers.opening import open_retriever
from agentgym_rl.environments.search.server.app import make_retrieval_app
from agentgym_rl.environments.search.server.settings import RetrievalSettings
from agentgym_rl.environments.service.server.run import address, listen, server_of

TOKEN = "sixteen-letters-and-more"


@contextmanager
def serving(retriever, **settings):
    chosen = RetrievalSettings(port=0, **settings)
    started = threading.Event()
    with listen(chosen.host, 0) as listening:
        server = server_of(chosen, started.set, lambda _: make_retrieval_app(chosen, retriever))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(60)
            yield address(chosen, listening)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def retriever(index):
    with closing(open_index(index)) as opened:
        yield opened


@pytest.fixture(scope="module")
def server(retriever):
    with serving(retriever, most_queries=50, most_topk=10, body_bytes=1 << 20) as found:
        yield found


def post(address, body, path="/retrieve", **headers):
    """(status, content)"""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_documents_with_scores(server, retriever):
    status, content = post(server, {"queries": ["capital of Norway", "", "東京"], "topk": 2, "return_scores": True})
    assert status == 200
    assert [len(hits) for hits in content["result"]] == [2, 0, 1]
    expected = retriever.retrieve(["capital of Norway"], 2)[0]
    assert content["result"][0] == [
        {"document": {"id": hit.passage.id, "contents": hit.passage.contents}, "score": hit.score} for hit in expected
    ]


@pytest.mark.parametrize("more", [{}, {"topk": None}, {"topk": 0}, {"return_scores": False, "topk_rerank": 5}])
def test_documents_alone_three_of_them_by_default(server, more):
    status, content = post(server, {"queries": ["capital"], **more})
    assert status == 200
    assert [document["id"] for document in content["result"][0]] == ["0", "1", "2"]


def test_no_queries(server):
    assert post(server, {"queries": []}) == (200, {"result": []})


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        (b"{", 400, "JSON"),
        ({}, 400, "body.queries"),
        ({"queries": "capital"}, 400, "body.queries='capital'"),
        ({"queries": [1]}, 400, "body.queries.0=1"),
        ({"queries": ["a"], "topk": "3"}, 400, "body.topk='3'"),
        ({"queries": ["a"], "topk": -1}, 400, "topk=-1: 1 to 10 hits a query"),
        ({"queries": ["a"], "topk": 11}, 400, "topk=11: 1 to 10 hits a query"),
        ({"queries": ["a"] * 51}, 400, "51 queries: 50 a request at most"),
    ],
)
def test_bad_requests(server, body, status, detail):
    found, content = post(server, body)
    assert found == status
    assert detail in content["detail"]


def test_a_body_too_large_is_refused_before_it_is_read(server):
    with closing(http.client.HTTPConnection(server.removeprefix("http://"), timeout=60)) as connection:
        connection.putrequest("POST", "/retrieve")
        connection.putheader("Content-Length", str((1 << 20) + 1))
        connection.endheaders()
        answer = connection.getresponse()
        assert answer.status == 413
        assert "a body may have 1048576 bytes at most" in json.loads(answer.read())["detail"]


def test_long_and_strange_queries_are_answered(server):
    status, content = post(server, {"queries": ["Oslo " * 10_000, "\ud800", "\0"]})
    assert status == 200
    assert [len(hits) for hits in content["result"]] == [1, 0, 0]


def test_health_tells_what_answers(server, retriever):
    with urllib.request.urlopen(f"{server}/health", timeout=60) as answer:
        assert json.loads(answer.read()) == {"status": "ok", "retriever": retriever.identity}


def test_the_token_is_asked_for(retriever, monkeypatch):
    with serving(retriever, token=TOKEN) as server:
        assert post(server, {"queries": ["Oslo"]})[0] == 401
        assert post(server, {"queries": ["Oslo"]}, Authorization=f"Bearer {TOKEN}")[0] == 200
        monkeypatch.delenv("AGENTGYM_RL_TOKEN", raising=False)
        with pytest.raises(EnvironmentFault, match="wants a token: set AGENTGYM_RL_TOKEN"):
            open_retriever(server).retrieve(["Oslo"], 1)
        monkeypatch.setenv("AGENTGYM_RL_TOKEN", TOKEN)
        assert open_retriever(server).retrieve(["Oslo"], 1) == retriever.retrieve(["Oslo"], 1)


class Sick:
    """A retriever that raises what it is given, or hangs until it is let go."""

    identity = "sick"

    def __init__(self, error=None):
        self.error = error
        self.asked = threading.Event()
        self.go = threading.Event()

    def retrieve(self, queries, k):  # noqa: ARG002
        self.asked.set()
        if self.error is None:
            assert self.go.wait(60)
            return [[] for _ in queries]
        raise self.error

    def close(self):
        pass


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (EnvironmentFault("the disk is gone"), 500, "environment_fault"),
        (DeadlinePassed("too slow"), 504, "time_out"),
        (RuntimeError("a secret"), 500, "internal"),
    ],
)
def test_a_failing_retriever_is_a_problem_and_a_fault_for_clients(error, status, code):
    with serving(Sick(error)) as server:
        found, content = post(server, {"queries": ["a"]})
        assert (found, content["code"]) == (status, code)
        assert "secret" not in json.dumps(content)
        with pytest.raises(EnvironmentFault, match=f"status {status}"):
            open_retriever(server).retrieve(["a"], 1)


def test_a_retriever_that_hangs_is_not_waited_for():
    sick = Sick()
    with serving(sick, seconds=0.05) as server:
        try:
            assert post(server, {"queries": ["a"]})[1]["code"] == "time_out"
        finally:
            sick.go.set()


def test_too_many_queries_at_once():
    sick = Sick()
    with serving(sick, queue=3) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, server, {"queries": ["a", "b"]})
        try:
            assert sick.asked.wait(60)
            status, content = post(server, {"queries": ["c", "d"]})
        finally:
            sick.go.set()
        assert (status, content["code"]) == (503, "busy")
        assert first.result(60)[0] == 200


def test_a_server_that_others_can_reach_needs_a_token():
    with pytest.raises(ValueError, match=r"host=0\.0\.0\.0 can be reached from elsewhere, so a token is needed"):
        RetrievalSettings(host="0.0.0.0")
