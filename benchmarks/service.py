"""What environments as a service cost: TextCraft on a server of its own process, over loopback.

    python benchmarks/service.py [--quick] [figure ...]

Figures: clients (HTTP clients compared), steps (one at a time from 32 clients), batch, latency (1,000 open sessions),
memory (a session's, and the slope over many episodes). The oracle's actions are worked out before the clock starts, so a
step is one request. Times of client and server are CPU times, which other work on the machine does not touch; rates and
latencies are by the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.service.client.describe import describe, prompt_of
from agentgym_rl.environments.service.client.http import Http
from agentgym_rl.environments.service.client.pool import ServerPool
from agentgym_rl.environments.service.client.served import ServedEnvironment
from agentgym_rl.environments.service.protocol.batch import (
    Batch,
    BatchAnswer,
    CloseOperation,
    CreateOperation,
    Operation,
    ResetOperation,
    StepOperation,
)
from agentgym_rl.environments.task_set import Task

CLIENTS = 32
BATCH = 256
SESSIONS = 1000
MANY = 24
"""Batches of sessions that are open for the memory of one."""
TICKS = os.sysconf("SC_CLK_TCK")
JSON = {"content-type": "application/json"}

Post = Callable[[str, str], Awaitable[bytes]]
"""Address and body → what was answered."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    name: str
    value: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """A task and what its oracle does."""

    task: Task
    actions: tuple[str, ...]


class Server:
    """``agentgym-rl serve textcraft`` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    def cpu(self) -> float:
        """CPU seconds used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Bytes in memory."""
        return _memory(self.process.pid)


@contextmanager
def server() -> Iterator[Server]:
    command = [
        sys.executable,
        "-m",
        "agentgym_rl.cli",
        "serve",
        "textcraft",
        "--port",
        "0",
        "--sessions",
        "10000",
        "--log-level",
        "error",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline().rpartition("/")[0])
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def plans() -> list[Plan]:
    """The test tasks, played by the oracle in this process."""
    found = []
    with make("textcraft") as world:
        for task in tasks("textcraft", "test"):
            world.reset(seed=0, options={"task": task})
            actions = []
            while world.running:
                actions.append(world.expert_action() or "")
                world.step(actions[-1])
            found.append(Plan(task, tuple(actions)))
    return found


async def compare_clients(there: Server, steps: int) -> list[Figure]:
    """The same requests through different HTTP clients for asyncio."""
    return [await _one_client(name, post, there, steps) async for name, post in _clients()]


async def _clients() -> AsyncIterator[tuple[str, Post]]:
    import aiohttp

    async with aiohttp.ClientSession(headers=JSON) as session:

        async def by_aiohttp(url: str, body: str) -> bytes:
            async with session.post(url, data=body) as response:
                return await response.read()

        yield "aiohttp", by_aiohttp
    for name in ("httpx", "httpx2"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        async with module.AsyncClient(headers=JSON) as client:

            async def by_httpx(url: str, body: str, client: Any = client) -> bytes:
                return bytes((await client.post(url, content=body)).content)

            yield name, by_httpx


async def _one_client(name: str, post: Post, there: Server, steps: int) -> Figure:
    sessions = f"{there.address}/v1/sessions"
    paths = []
    for _ in range(CLIENTS):
        made = json.loads(await post(sessions, json.dumps({"environment": "textcraft"})))
        paths.append(f"{sessions}/{made['session']}")
        await post(f"{paths[-1]}/reset", json.dumps({"number": 1, "task": "acacia_planks", "seed": 0}))

    async def play(path: str) -> None:
        for number in range(2, 2 + steps // CLIENTS):
            json.loads(await post(f"{path}/step", json.dumps({"number": number, "action": "inventory"})))

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(play, paths))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    done = steps // CLIENTS * CLIENTS
    return Figure(f"{name}: client CPU a request", f"{cpu / done * 1e6:.0f} µs ({done / wall:,.0f} requests/s)")


async def one_at_a_time(there: Server, some: list[Plan], steps: int) -> list[Figure]:
    """Clients as rollouts use them: each plays one episode after another."""
    pool = ServerPool([there.address])
    prompt = prompt_of(describe(there.address, "textcraft", {}))
    queue = itertools.cycle(some)
    done = 0

    async def play() -> None:
        nonlocal done
        world = ServedEnvironment(pool, "textcraft", {}, prompt, 60, 60)
        while done < steps:
            plan = next(queue)
            await world.reset(plan.task, 0)
            for action in plan.actions:
                await world.step(action)
            done += len(plan.actions)
        await world.close()

    wall, cpu, served = time.perf_counter(), time.process_time(), there.cpu()
    await asyncio.gather(*(play() for _ in range(CLIENTS)))
    wall, cpu, served = time.perf_counter() - wall, time.process_time() - cpu, there.cpu() - served
    await pool.close()
    return [
        Figure(f"steps/s one at a time, {CLIENTS} clients, resets included", f"{done / wall:,.0f}", "1,000"),
        Figure("client CPU a step", f"{cpu / done * 1e6:.0f} µs", "600 µs"),
        Figure("server CPU a step", f"{served / done * 1e6:.0f} µs"),
    ]


class Batches:
    """Sessions that are stepped in batches: each plays one episode after another."""

    def __init__(self, http: Http, some: Iterator[Plan], count: int, first: int) -> None:
        self._http = http
        self._plans = some
        self._ids = [f"{first + place:032x}" for place in range(count)]
        self._numbers = [0] * count
        self._left: list[list[str]] = [[] for _ in range(count)]
        self.steps = 0
        self.episodes = 0

    async def open(self) -> None:
        await self._ask([CreateOperation(kind="create", environment="textcraft", session=id) for id in self._ids])

    async def close(self) -> None:
        await self._ask([CloseOperation(kind="close", session=id) for id in self._ids])

    async def advance(self) -> None:
        """One operation for each session: a step, or the reset for the next episode."""
        await self._ask([self._next(place) for place in range(len(self._ids))])

    def _next(self, place: int) -> Operation:
        self._numbers[place] += 1
        session, number = self._ids[place], self._numbers[place]
        if self._left[place]:
            self.steps += 1
            return StepOperation(kind="step", session=session, number=number, action=self._left[place].pop())
        plan = next(self._plans)
        self.episodes += 1
        self._left[place] = list(reversed(plan.actions))
        return ResetOperation(kind="reset", session=session, number=number, task=plan.task.id, seed=0)

    async def _ask(self, operations: list[Operation]) -> None:
        answer = await self._http.ask(BatchAnswer, "POST", "/v1/batch", Batch(operations=operations))
        wrong = [result.problem for result in answer.results if result.problem is not None]
        assert not wrong, wrong[0]


async def batched(there: Server, some: list[Plan], steps: int) -> list[Figure]:
    """Two batches under way, so that client and server work at the same time."""
    http = Http(there.address)
    queue = itertools.cycle(some)
    halves = [Batches(http, queue, BATCH, half * BATCH) for half in range(2)]

    async def play(half: Batches) -> None:
        while half.steps < steps / 2:
            await half.advance()

    for half in halves:
        await half.open()
    wall, served = time.perf_counter(), there.cpu()
    await asyncio.gather(*map(play, halves))
    wall, served = time.perf_counter() - wall, there.cpu() - served
    done = sum(half.steps for half in halves)
    for half in halves:
        await half.close()
    await http.close()
    return [
        Figure(f"steps/s in batches of {BATCH}, resets included", f"{done / wall:,.0f}", "6,000"),
        Figure("server CPU a step in batches", f"{served / done * 1e6:.0f} µs"),
    ]


async def latency(there: Server, some: list[Plan], steps: int) -> list[Figure]:
    """1,000 sessions with a running episode; 32 clients step them in turn."""
    pool = ServerPool([there.address])
    prompt = prompt_of(describe(there.address, "textcraft", {}))
    worlds = [ServedEnvironment(pool, "textcraft", {}, prompt, 60, 60) for _ in range(SESSIONS)]
    for world, plan in zip(worlds, itertools.cycle(some), strict=False):
        await world.reset(plan.task, 0)
    queue = itertools.cycle(worlds)
    taken: list[float] = []

    async def play() -> None:
        while len(taken) < steps:
            world = next(queue)
            start = time.perf_counter()
            await world.step("inventory")
            taken.append(time.perf_counter() - start)

    await asyncio.gather(*(play() for _ in range(CLIENTS)))
    for world in worlds:
        await world.close()
    await pool.close()
    half, most = np.quantile(taken, [0.5, 0.99]) * 1000
    return [
        Figure(
            f"time to answer with {SESSIONS:,} open sessions, {CLIENTS} clients",
            f"{half:.1f} ms, p99 {most:.1f} ms",
            "p99 50 ms",
        )
    ]


async def memory(there: Server, some: list[Plan], episodes: int) -> list[Figure]:
    """What a session takes beyond its world, and whether anything is left behind by episodes and sessions."""
    http = Http(there.address)
    queue = itertools.cycle(some)
    warm = Batches(http, queue, BATCH, 0)
    await warm.open()
    for _ in range(20):
        await warm.advance()
    await warm.close()
    before = there.memory()
    opened = [Batches(http, queue, BATCH, start) for start in range(10_000, 10_000 + MANY * BATCH, BATCH)]
    for one in opened:
        await one.open()
        await one.advance()
    a_session = (there.memory() - before) / (MANY * BATCH)
    a_world = _world_bytes(some, MANY * BATCH)
    for one in opened:
        await one.close()
    seen: list[tuple[int, int]] = []
    played = 0
    for start in itertools.count(100_000, BATCH):
        some_sessions = Batches(http, queue, BATCH, start)
        await some_sessions.open()
        while some_sessions.episodes < 8 * BATCH:
            await some_sessions.advance()
        await some_sessions.close()
        played += some_sessions.episodes
        seen.append((played, there.memory()))
        if played >= episodes:
            break
    await http.close()
    later = seen[len(seen) // 4 :]  # what allocators take once is not a leak
    slope = np.polyfit(*np.array(later, float).T, 1)[0] if len(later) > 1 else float("nan")
    return [
        Figure(
            "memory a session beyond its world",
            f"{(a_session - a_world) / 1024:.1f} KiB (world: {a_world / 1024:.1f})",
            "100 KiB",
        ),
        Figure(f"memory slope over {played:,} episodes", f"{slope:.1f} bytes an episode", "0"),
    ]


def _world_bytes(some: list[Plan], count: int) -> float:
    """Memory of a world with a running episode in this process."""
    before = _memory(os.getpid())
    worlds = [make("textcraft") for _ in range(count)]
    for world, plan in zip(worlds, itertools.cycle(some), strict=False):
        world.reset(seed=0, options={"task": plan.task})
    return (_memory(os.getpid()) - before) / count


def _memory(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", help="default: all")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work: a look, not a measurement")
    options = parser.parse_args()
    share = 10 if options.quick else 1
    some = plans()
    measured: dict[str, Callable[[Server], Coroutine[Any, Any, list[Figure]]]] = {
        "clients": lambda there: compare_clients(there, 6_400 // share),
        "steps": lambda there: one_at_a_time(there, some, 20_000 // share),
        "batch": lambda there: batched(there, some, 60_000 // share),
        "latency": lambda there: latency(there, some, 20_000 // share),
        "memory": lambda there: memory(there, some, 100_000 // share),
    }
    if unknown := set(options.figures) - measured.keys():
        parser.error(f"unknown figure {sorted(unknown)[0]!r}; known: {', '.join(measured)}")
    table = Table("figure", "measured", "target", title="TextCraft as a service, over loopback")
    with server() as there:
        for name in options.figures or measured:
            for figure in asyncio.run(measured[name](there)):
                table.add_row(figure.name, figure.value, figure.target)
    Console().print(table)


if __name__ == "__main__":
    main()
