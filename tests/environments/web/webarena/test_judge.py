"""The judge of the 82 original tasks that need one: any OpenAI-compatible server."""

import json

import pytest
from stub_sites.server import HttpServer, Response

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.original.answers import string_match
from agentgym_rl.environments.web.webarena.original.judge import read_judge
from agentgym_rl.environments.web.webarena.task_file import Answers


@pytest.fixture
def server():
    """A chat server that says what it is told to, one answer after the other, and keeps what it was asked."""

    def answer(request):
        server.asked.append(request)
        said = server.said.pop(0)
        if said is None:
            return Response("{}", 500)
        return Response(json.dumps({"choices": [{"message": {"content": said}}]}), kind="application/json")

    server = HttpServer(answer)
    server.asked, server.said = [], []
    server.start()
    yield server
    server.stop()


@pytest.fixture
def judge(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return read_judge({"model": "m", "base_url": f"{server.address}/v1/", "api_key_variable": "MY_KEY"})


def test_it_is_asked_about_every_reference(server, judge):
    answers = Answers(fuzzy_match=["20 minutes", "by car"])
    server.said[:] = ["yes", "Yes."]
    assert string_match(answers, "a third of an hour, driving", "how long?", "", judge) == 1.0
    server.said[:] = ["yes", "no"]
    assert string_match(answers, "a third of an hour, walking", "how long?", "", judge) == 0.0
    asked = server.asked[0]
    assert (asked.path, asked.headers["authorization"]) == ("/v1/chat/completions", "Bearer sk-secret")
    body = json.loads(asked.body)
    assert (body["model"], body["temperature"]) == ("m", 0)
    assert "a third of an hour" in body["messages"][1]["content"]


def test_it_is_asked_whether_the_reason_fits(server, judge):
    server.said[:] = ["yes"]
    assert string_match(Answers(fuzzy_match="N/A"), "there is no such shop", "when open?", "no such shop", judge) == 1.0
    assert string_match(Answers(fuzzy_match="N/A"), "N/A", "when open?", "no such shop", judge) == 1.0


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["perhaps"] * 3, "it says neither yes nor no: 'perhaps'"),
        (["yes and no"] * 3, "neither yes nor no"),
        ([None] * 3, "status 500"),
    ],
)
def test_without_a_verdict_it_is_a_fault_never_a_reward(server, judge, said, message):
    server.said[:] = said
    with pytest.raises(EnvironmentFault, match=message) as fault:
        judge.same_meaning("a", "b", "c")
    assert "sk-secret" not in str(fault.value) + repr(judge)
    assert server.said == []


def test_a_server_that_is_not_there(server, judge):
    server.stop()
    with pytest.raises(EnvironmentFault, match=r"the judge m at http://127\.0\.0\.1:.*: nothing listens there"):
        judge.same_meaning("a", "b", "c")
