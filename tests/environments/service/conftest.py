"""Servers for tests: on real sockets in a thread, in a process of their own, or without sockets on a clock that is set by hand."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agentgym_rl.environments.service.server.app import make_app
from agentgym_rl.environments.service.server.settings import ServeSettings

AIO_TESTS = Path(__file__).parents[1] / "aio"


@pytest.fixture(scope="session")
def imp():
    """``aio_worlds:Imp``, the world that misbehaves on request, importable here and in worker processes."""
    sys.path.insert(0, str(AIO_TESTS))
    yield importlib.import_module("aio_worlds")
    sys.path.remove(str(AIO_TESTS))


@pytest.fixture(scope="session")
def shared_server(imp, serving):  # noqa: ARG001 - makes it importable
    """A server with all worlds in its own process, for every test that leaves no trace on it."""
    with serving("textcraft", "babyai", "aio_worlds:Imp", allow_expert=True) as found:
        yield found


class ServerProcess:
    """``agentgym-rl serve`` in a process of its own."""

    def __init__(self, *arguments, port="0", **variables):
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - a pipe that nobody reads would fill up
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentgym_rl.cli", "serve", *arguments, "--port", port],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": str(AIO_TESTS), **variables},
        )
        self.urls = []

    def wait_until_ready(self):
        """Reads the addresses of its worlds."""
        self._read(self.process.stdout.readline())
        return self

    def ready(self):
        """Whether it has told the addresses of its worlds. Waits for nothing."""
        if not self.urls and select.select([self.process.stdout], [], [], 0)[0]:
            line = self.process.stdout.readline()
            if not line and self.process.wait(10) == -signal.SIGKILL:
                return False  # a strike hit it while it started
            self._read(line)
        return bool(self.urls) and self.process.poll() is None

    def _read(self, line):
        assert line.startswith("http"), self.errors()
        self.urls = [line.strip()]
        self.address = self.urls[0].rpartition("/")[0]

    def errors(self):
        """What it has written to standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def end(self):
        self.process.kill()
        self.process.communicate()
        self._errors.close()


@pytest.fixture
def server_process():
    """Starts servers in processes of their own, and ends them with the test."""
    started = []

    def start(*arguments, port="0", **variables):
        started.append(ServerProcess(*arguments, port=port, **variables))
        return started[-1]

    yield start
    for server in started:
        server.end()


class ManualClock(asyncio.SelectorEventLoop):
    """A loop whose clock is put forward by hand."""

    offset = 0.0

    def time(self):
        return super().time() + self.offset

    async def advance(self, seconds):
        """Puts the clock forward, and lets everything run that is due."""
        self.offset += seconds
        for _ in range(10):
            await asyncio.sleep(0)


@pytest.fixture
def clock():
    loop = ManualClock()
    yield loop
    loop.close()


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of the problem; None for a success."""
        return self.json["code"] if self.status >= 300 else None


class App:
    """The application without sockets."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, method, path, content=None, *, raw=None, headers=None, query=""):
        body = raw if raw is not None else b"" if content is None else json.dumps(content).encode()
        headers = {"content-type": "application/json", **(headers or {})}
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        sent = []

        async def receive():
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("test", 80),
            "client": ("test", 1),
        }
        await self.app(scope, receive, send)
        start, *parts = sent
        found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], found, b"".join(part.get("body", b"") for part in parts))

    async def session(self, environment="textcraft", task="acacia_planks", **further):
        """A new session with a running episode; its path."""
        made = await self("POST", "/v1/sessions", {"environment": environment, **further})
        assert made.status == 201, made.body
        path = f"/v1/sessions/{made.json['session']}"
        reset = await self("POST", f"{path}/reset", {"number": 1, "task": task, "seed": 0})
        assert reset.status == 200, reset.body
        return path


@pytest.fixture(scope="session")
def play_on_shared_app():
    """Runs a test's coroutine with one application that all such tests share."""
    with asyncio.Runner() as runner:
        app = make_app(ServeSettings(environments=["textcraft"]))
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        yield lambda coroutine: runner.run(coroutine(App(app)))
        runner.run(lifespan.__aexit__(None, None, None))


@pytest.fixture
def play_on_app(clock, imp):  # noqa: ARG001 - makes it importable
    """Runs a test's coroutine with an application, on the clock."""

    def play(coroutine, *environments, **settings):
        async def run():
            app = make_app(ServeSettings(environments=list(environments or ["textcraft", "aio_worlds:Imp"]), **settings))
            async with app.router.lifespan_context(app):
                return await coroutine(App(app))

        return clock.run_until_complete(run())

    return play
