"""Makes the modules beside this file importable, here and in other processes; servers in the published format."""

import contextlib
import sys
import threading
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
