"""Makes the modules beside this file importable; servers in the published format, and servers that replay."""

import contextlib
import functools
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agentgym_rl.environments.service.agentgym.app import make_agentgym_app


@pytest.fixture(scope="session", autouse=True)
def modules_beside():
    sys.path.insert(0, str(Path(__file__).parent))
    yield
    sys.path.remove(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def serving_published(serving):
    """``with serving_published("textcraft", lease=5.0) as address``: a server in the published format."""
    return functools.partial(serving, make=make_agentgym_app)


@pytest.fixture(scope="session")
def published_textcraft(serving_published):
    """For every test that leaves no trace on it."""
    with serving_published("textcraft") as found:
        yield found


@pytest.fixture(scope="session")
def published_babyai(serving_published):
    """For every test that leaves no trace on it."""
    with serving_published("babyai") as found:
        yield found


EXCHANGES = Path(__file__).parent / "exchanges"


def _recorded(name):
    """The recording of a kind of server: its exchanges, and what a player sees of them."""
    return json.loads((EXCHANGES / f"{name}.json").read_text(encoding="utf-8"))


class Replay:
    """What is left to be asked, and what was asked otherwise."""

    def __init__(self, exchanges):
        self.left = list(exchanges)
        self.surprises = []
        self.headers = []
        self.stop_waiting = threading.Event()

    def answer(self, ask, body):
        expected = self.left.pop(0) if self.left else {"ask": "nothing more"}
        if (ask, body) != (expected["ask"], expected.get("body")):
            self.surprises.append((ask, body, expected))
            return {"status": 500, "answer": "not what was recorded"}
        if expected.get("silent"):
            self.stop_waiting.wait(60)
        return expected


@contextlib.contextmanager
def _replaying(exchanges):
    """Serves them on a free port; gives the address and the :class:`Replay`."""
    replay = Replay(exchanges)

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            replay.headers.append(dict(self.headers))
            found = replay.answer(f"{self.command} {self.path}", body)
            content = found["raw"].encode() if "raw" in found else json.dumps(found["answer"]).encode()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(found.get("status", 200))
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, *arguments):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", replay
    finally:
        replay.stop_waiting.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def recorded():
    """``recorded("textcraft")``: a recording by its name."""
    return _recorded


@pytest.fixture(scope="session")
def replaying():
    """``with replaying(exchanges) as (address, replay)``: a server that answers from a list."""
    return _replaying
