"""The benchmark of environments as a service measures what it says, on sizes that take no time."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def service():
    spec = importlib.util.spec_from_file_location("benchmark_service", ROOT / "benchmarks" / "service.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_figure_comes_out(service, monkeypatch):
    monkeypatch.setattr(service, "BATCH", 16)
    monkeypatch.setattr(service, "MANY", 2)
    some = service.plans()[:8]
    assert all(plan.actions for plan in some)
    with service.server() as there:
        steps = asyncio.run(service.one_at_a_time(there, some, 64))
        batch = asyncio.run(service.batched(there, some, 64))
        before = there.memory()
        slope = asyncio.run(service.memory(there, some, 300))
    assert [figure.target for figure in steps] == ["1,000", "600 µs", ""]
    assert batch[0].name.startswith("steps/s in batches")
    assert "KiB" in slope[0].value
    assert before > 10_000_000


def test_batches_play_whole_episodes(service):
    import itertools

    some = service.plans()[:3]

    class Heard:
        """Keeps what is asked instead of asking it."""

        def __init__(self):
            self.asked = []

        async def ask(self, kind, _method, _path, body):
            self.asked.append(body.operations)
            return kind(results=[])

    http = Heard()
    batches = service.Batches(http, itertools.cycle(some), 1, 0)
    turns = sum(1 + len(plan.actions) for plan in some)

    async def play():
        for _ in range(turns):
            await batches.advance()

    asyncio.run(play())
    asked = [operation for (operation,) in http.asked]
    assert [operation.number for operation in asked] == list(range(1, turns + 1))
    assert [operation.task for operation in asked if operation.kind == "reset"] == [plan.task.id for plan in some]
    assert [operation.action for operation in asked if operation.kind == "step"] == [
        a for plan in some for a in plan.actions
    ]
    assert (batches.episodes, batches.steps) == (3, turns - 3)
