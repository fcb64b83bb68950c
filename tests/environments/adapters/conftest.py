"""Makes the modules beside this file importable; servers in the published format, and servers that replay."""

import contextlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agentgym_rl.environments.service.agentgym.app import make_agentgym_app
from agentgym_rl.environments.service.server.run import address, listen, server_of
from agentgym_rl.environments.service.server.settings import ServeSettings


@pytest.fixture(scope="session", autouse=True)
def modules_beside():
    sys.path.insert(0, str(Path(__file__).parent))
    yield
    sys.path.remove(str(Path(__file__).parent))


@contextlib.contextmanager
def _serving(environment, **settings):
    """A server in the published format, on a thread of this process; gives its address."""
    chosen = ServeSettings(environments=[environment], port=0, **settings)
    started = threading.Event()
    with listen(chosen.host, 0) as listening:
        server = server_of(chosen, started.set, make_agentgym_app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(60)
            yield address(chosen, listening)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def serving_published():
    """``with serving_published("textcraft", lease=5.0) as address``: a server in the published format on a real socket."""
    return _serving


@pytest.fixture(scope="session")
def published_textcraft():
    """For every test that leaves no trace on it."""
    with _serving("textcraft") as found:
        yield found


@pytest.fixture(scope="session")
def published_babyai():
    """For every test that leaves no trace on it."""
    with _serving("babyai") as found:
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
