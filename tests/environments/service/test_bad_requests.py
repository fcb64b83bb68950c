"""What bad input gets: an answer that names field, value and what is allowed; never a traceback, never a 5xx."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym_rl.environments.service.protocol.problem import Code, Problem
from agentgym_rl.environments.service.server.app import make_app
from agentgym_rl.environments.service.server.settings import ServeSettings

TOKEN = "a-token-of-many-letters"
SESSION = "/v1/sessions/nobody"


@pytest.mark.parametrize(
    ("content", "field", "value"),
    [
        ({"number": 1, "task": "acacia_planks", "seed": -1}, "body.seed", "-1"),
        ({"number": 0, "task": "acacia_planks", "seed": 0}, "body.number", "0"),
        ({"number": "1", "task": "acacia_planks", "seed": 0}, "body.number", "'1'"),
        ({"number": True, "task": "acacia_planks", "seed": 0}, "body.number", "True"),
        ({"number": 1.0, "task": "acacia_planks", "seed": 0}, "body.number", "1.0"),
        ({"number": 10**30, "task": "acacia_planks", "seed": 0}, "body.number", str(10**30)),
        ({"number": 1, "task": None, "seed": 0}, "body.task", "None"),
        ({"number": 1, "task": "x" * 2000, "seed": 0}, "body.task", None),
        ({"number": 1, "task": "\ud83d", "seed": 0}, "body.task", None),
        ({"number": 1, "task": "acacia_planks", "seed": 0, "admissable": True}, "body.admissable", "True"),
        ({"number": 1, "task": "acacia_planks"}, "body.seed", None),
        ([], "body", "[]"),
        (None, "body", "None"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_what_is_allowed(play_on_shared_app, content, field, value):
    answer = play_on_shared_app(lambda app: app("POST", f"{SESSION}/reset", raw=json.dumps(content).encode()))
    assert (answer.status, answer.code) == (400, "bad_request")
    assert answer.headers["content-type"] == "application/problem+json"
    found = {one["field"]: one for one in answer.json["fields"]}
    assert field in found
    assert value is None or found[field]["value"] == value
    assert found[field]["allowed"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"\x80abc",
        b"[" * 200_000,
        b'{"a":' * 50_000,
        b"NaN",
        b'{"number": NaN, "action": ""}',
        b"1" * 5000,
        b'{"number": 1e400, "action": ""}',
        b"\x00",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_a_body_that_is_no_message(play_on_shared_app, body):
    answer = play_on_shared_app(lambda app: app("POST", f"{SESSION}/step", raw=body))
    assert (answer.status, answer.code) == (400, "bad_request")
    assert len(answer.body) < 2000


def test_a_body_of_another_type_is_refused(play_on_shared_app):
    answer = play_on_shared_app(
        lambda app: app("POST", f"{SESSION}/step", {"number": 1, "action": ""}, headers={"content-type": "text/plain"})
    )
    assert answer.code == "bad_request"


@pytest.mark.parametrize("told", [True, False])
def test_a_body_that_is_too_large_is_refused(play_on_app, told):
    headers = {"content-length": "5000"} if told else {}
    answer = play_on_app(lambda app: app("POST", f"{SESSION}/step", raw=b" " * 5000, headers=headers), body_bytes=4096)
    assert (answer.status, answer.code) == (413, "too_large")
    assert answer.headers["connection"] == "close"


def test_a_body_that_never_comes_is_given_up(clock):
    async def play():
        app = make_app(ServeSettings(environments=["textcraft"]))
        sent = []
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/sessions",
            "raw_path": b"/v1/sessions",
            "headers": [],
            "query_string": b"",
        }

        async def keep(message):
            sent.append(message)

        waiting = asyncio.ensure_future(app(scope, asyncio.Event().wait, keep))
        await asyncio.sleep(0)
        await clock.advance(31)
        await waiting
        return sent

    assert clock.run_until_complete(play())[0]["status"] == 400


@pytest.mark.parametrize(
    ("method", "path", "query", "code"),
    [
        ("GET", "/", "", "not_found"),
        ("GET", "/v1/../etc/passwd", "", "not_found"),
        ("GET", "/v1/environments/../../etc", "", "not_found"),
        ("GET", "/v1/environments/nothing", "", "unknown_environment"),
        ("GET", f"/v1/environments/{'x' * 300}", "", "bad_request"),
        ("GET", "/v1/environments/textcraft", "options=[]", "bad_request"),
        ("GET", "/v1/environments/textcraft", "options={", "bad_request"),
        ("GET", "/v1/environments/textcraft", "options={%22distractor%22:1}", "bad_request"),
        ("GET", "/v1/environments/textcraft/tasks", "split=dev", "bad_request"),
        ("GET", "/v1/environments/textcraft/tasks", "split=test&offset=-1", "bad_request"),
        ("GET", "/v1/environments/textcraft/tasks", "split=test&limit=0", "bad_request"),
        ("GET", SESSION, "", "unknown_session"),
        ("GET", "/v1/sessions/..%2f", "", "unknown_session"),
        ("PATCH", SESSION, "", "method_not_allowed"),
        ("GET", f"{SESSION}/expert_action", "", "expert_not_allowed"),
        ("DELETE", "/v1/environments/textcraft", "", "method_not_allowed"),
    ],
)
def test_paths_and_queries(play_on_shared_app, method, path, query, code):
    answer = play_on_shared_app(lambda app: app(method, path, query=query))
    assert answer.code == code
    Problem.model_validate(answer.json)


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"bearer  {TOKEN}", "Bearer \xe9"]
)
def test_a_missing_or_wrong_token(play_on_app, given):
    headers = {} if given is None else {"authorization": given}
    answers = play_on_app(
        lambda app: asyncio.gather(*(app("GET", path, headers=headers) for path in ("/v1", "/metrics", "/nothing"))),
        token=TOKEN,
    )
    for answer in answers:
        assert (answer.status, answer.code, answer.headers["www-authenticate"]) == (401, "unauthorised", "Bearer")


def test_the_right_token_and_what_needs_none(play_on_app):
    async def ask(app):
        return [
            await app("GET", "/v1", headers={"authorization": f"Bearer {TOKEN}"}),
            await app("GET", "/health"),
            await app("GET", "/openapi.json"),
        ]

    assert [answer.status for answer in play_on_app(ask, token=TOKEN)] == [200, 200, 200]


def test_a_batch_that_is_too_long(play_on_app):
    operations = [{"kind": "close", "session": "x"}] * 3
    answer = play_on_app(lambda app: app("POST", "/v1/batch", {"operations": operations}), batch=2)
    assert answer.code == "too_large"
    assert answer.json["fields"][0] == {
        "field": "body.operations",
        "value": "3 operations",
        "allowed": "2 operations at most",
    }


def test_no_cross_origin_requests_unless_asked(play_on_app):
    origin = {"origin": "https://page.example"}

    async def ask(app):
        return await app("GET", "/health", headers=origin)

    assert "access-control-allow-origin" not in play_on_app(ask).headers
    allowed = play_on_app(ask, cors_origins=["https://page.example"])
    assert allowed.headers["access-control-allow-origin"] == "https://page.example"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["textcraft", "step", "acacia_planks"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "number",
                    "action",
                    "task",
                    "seed",
                    "admissible",
                    "kind",
                    "session",
                    "environment",
                    "options",
                    "operations",
                    "name",
                ]
            )
            | st.text(max_size=5),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(
    content=JSON,
    call=st.sampled_from(["sessions", "sessions/{}/reset", "sessions/{}/step", "sessions/{}/shortcut_action", "batch"]),
)
@settings(max_examples=300, deadline=None)
def test_any_json_is_answered_and_no_session_is_harmed(play_on_shared_app, content, call):
    async def play(app):
        path = await app.session()
        id = path.rpartition("/")[2]
        answer = await app("POST", f"/v1/{call.format(id)}", content)
        return answer, await app("GET", path)

    answer, state = play_on_shared_app(play)
    assert answer.status < 500
    assert b"Traceback" not in answer.body
    if answer.status >= 300:
        assert Problem.model_validate(answer.json).code in Code
    assert state.status == 200


@given(
    method=st.sampled_from(["GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"]),
    path=st.text(max_size=40),
    query=st.text(max_size=20),
)
@settings(max_examples=200, deadline=None)
def test_any_path_is_answered(play_on_shared_app, method, path, query):
    answer = play_on_shared_app(lambda app: app(method, f"/v1/{path}".encode().decode("latin1"), query=query))
    assert answer.status < 500
