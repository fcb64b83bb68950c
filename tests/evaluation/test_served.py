"""A served model is evaluated like any other; what its server refuses ends the evaluation with the server's words."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import agentgym_rl
from agentgym_rl.config import ConfigError
from agentgym_rl.evaluation.subject import find_subject


class Server(ThreadingHTTPServer):
    """Says ``inventory`` to whoever asks for model ``m``."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        known = body["model"] == "m"
        answer = {"choices": [{"message": {"content": "inventory"}}]} if known else {"error": {"message": "no such model"}}
        content = json.dumps(answer).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_served_model_plays(server: Server) -> None:
    report = agentgym_rl.evaluate(
        "openai:m",
        "textcraft",
        tasks=3,
        horizon=2,
        temperature=0.0,
        base_url=server.url,
        overrides=["agent.format=raw", "rollout.max_tokens=7"],
    )
    assert (report.name, report.overall.episodes, report.success, report.overall.turns) == ("openai:m", 3, 0.0, 2.0)
    assert report.overall.not_understood == 0
    assert report.settings["agent"]["format"] == "raw"
    assert len(server.asked) == 6
    assert (server.asked[0]["temperature"], server.asked[0]["max_tokens"]) == (0.0, 7)


def test_what_the_server_refuses_is_said(server: Server) -> None:
    with pytest.raises(ConfigError, match="no such model"):
        agentgym_rl.evaluate("openai:other", "textcraft", tasks=3, base_url=server.url)
    with pytest.raises(ConfigError, match="begins with http"):
        agentgym_rl.evaluate("openai:m", "textcraft", tasks=3, base_url="nowhere")
    with pytest.raises(ConfigError, match="action_space=admissible"):
        agentgym_rl.evaluate(
            "openai:m", "textcraft", tasks=3, base_url=server.url, overrides=["agent.action_space=admissible"]
        )


@pytest.mark.parametrize(
    ("what", "override", "match"),
    [
        ("openai:m", "agent.window.turns=3", r"agent\.window would do nothing: nothing reads it in a served model's"),
        ("openai:m", "model.dtype=float32", r"model\.dtype would do nothing"),
        ("smollm2-135m-instruct", "rollout.temperature=0.5", r"rollout\.temperature would do nothing: use --temperature"),
        ("smollm2-135m-instruct", "model.path=x", r"model\.path would do nothing: name the model itself"),
        ("smollm2-135m-instruct", "rollout.concurrency=5", r"rollout\.concurrency would do nothing"),
    ],
)
def test_settings_that_would_do_nothing_are_refused(what: str, override: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        find_subject(what, [override])
