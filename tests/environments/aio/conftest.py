import asyncio
import importlib
import os
import select
from pathlib import Path

import pytest


@pytest.fixture
def worlds(monkeypatch):
    """The module of misbehaving worlds, importable by worker processes too."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return importlib.import_module("aio_worlds")


class ManualClock(asyncio.SelectorEventLoop):
    """A loop whose clock can be put forward."""

    offset = 0.0

    def time(self):
        return super().time() + self.offset

    def advance(self, seconds):
        self.offset += seconds


@pytest.fixture
def clock():
    loop = ManualClock()
    yield loop
    loop.close()


@pytest.fixture
def has_ended():
    """Waits for the end of a process, child or not; False when it lives on for ten seconds."""

    def wait(pid):
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return True
        try:
            return bool(select.select([handle], [], [], 10)[0])
        finally:
            os.close(handle)

    return wait
