"""Several servers: load, dead ones, lost answers, expired sessions."""

import asyncio
import contextlib
import os
import time

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.service.client import describe
from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.circuit import Circuit
from agentgym_rl.environments.service.client.place import Place
from agentgym_rl.environments.service.client.pool import ServerPool
from agentgym_rl.environments.service.client.prompt import Prompt
from agentgym_rl.environments.service.client.served import ServedEnvironment
from agentgym_rl.environments.service.protocol.batch import Closed
from agentgym_rl.environments.task_set import Task

TASK = Task("acacia_planks", "textcraft", "train", "depth-1")
DEAD = "http://127.0.0.1:1"


@contextlib.asynccontextmanager
async def pool_of(*addresses):
    pool = ServerPool(addresses)
    yield pool
    await pool.close()


def world_of(pool, environment="textcraft", reset_seconds=20.0, step_seconds=20.0):
    return ServedEnvironment(pool, environment, {}, Prompt(environment, "", ()), reset_seconds, step_seconds)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_circuit_opens_after_failures_in_a_row_and_lets_one_trial_through():
    clock = Clock()
    circuit = Circuit(clock)
    for _ in range(2):
        circuit.failed()
    circuit.succeeded()
    for _ in range(3):
        assert circuit.allows()
        circuit.failed()
    assert not circuit.closed
    assert not circuit.allows()
    clock.now = 1.0
    assert circuit.allows()
    assert not circuit.allows()  # the trial is another's
    circuit.failed()
    clock.now = 2.9
    assert not circuit.allows()  # twice as long this time
    clock.now = 3.1
    assert circuit.allows()
    circuit.succeeded()
    assert circuit.closed
    assert circuit.allows()


def test_a_trial_whose_outcome_is_never_told_does_not_lock_the_server_out():
    clock = Clock()
    circuit = Circuit(clock)
    for _ in range(3):
        circuit.failed()
    clock.now = 1.0
    assert circuit.allows()
    clock.now = 2.1
    assert circuit.allows()


def test_waits_double_up_to_a_bound_and_are_spread():
    some = [wait for wait, _ in zip(waits(), range(12), strict=False)]
    assert all(0.5 * min(0.1 * 2**n, 5) <= wait <= min(0.1 * 2**n, 5) for n, wait in enumerate(some))
    assert len({next(waits()) for _ in range(5)}) > 1


def test_sessions_are_spread_by_load(serving):
    async def play(*servers):
        async with pool_of(*servers) as pool:
            worlds = [world_of(pool) for _ in range(10)]
            await asyncio.gather(*(world.reset(TASK, 0) for world in worlds))
            spread = [place.sessions for place in pool.places]
            for world in worlds[:4]:
                await world.close()
            left = sum(place.sessions for place in pool.places)
            return spread, left

    with serving("textcraft") as one, serving("textcraft") as two:
        spread, left = asyncio.run(play(one, two))
    assert spread == [5, 5]
    assert left == 6


def test_sessions_of_others_count(serving):
    async def play(*servers):
        async with pool_of(servers[0]) as other, pool_of(*servers) as pool:
            theirs = [world_of(other) for _ in range(6)]
            ours = [world_of(pool) for _ in range(6)]
            for world in theirs + ours:
                await world.reset(TASK, 0)
            return [place.sessions for place in pool.places]

    with serving("textcraft") as one, serving("textcraft") as two:
        spread = asyncio.run(play(one, two))
    assert spread in ([0, 6], [1, 5])  # one may be needed to hear of theirs


def test_what_a_server_told_of_others_is_forgotten(monkeypatch):
    place = Place(DEAD)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    place.sessions = 2
    place.hear(5)
    assert place.load == 5
    place.sessions = 3
    assert place.load == 6
    now[0] += 31
    assert place.load == 3


def test_a_dead_server_is_left_out(shared_server):
    async def play():
        async with pool_of(DEAD, shared_server) as pool:
            worlds = [world_of(pool) for _ in range(8)]
            await asyncio.gather(*(world.reset(TASK, 0) for world in worlds))
            for world in worlds:
                await world.close()
            return pool.places[0].circuit.closed, [place.sessions for place in pool.places]

    assert asyncio.run(play()) == (False, [0, 0])


def test_no_server_at_all_is_a_fault_at_the_deadline():
    async def play():
        async with pool_of(DEAD) as pool:
            with pytest.raises(DeadlinePassed, match=r"reset took longer than 0\.5 s: no answer from http://127\.0\.0\.1:1"):
                await world_of(pool, reset_seconds=0.5).reset(TASK, 0)

    asyncio.run(play())


def test_a_full_server_is_waited_for(serving):
    async def play(server):
        async with pool_of(server) as pool:
            first, second = world_of(pool), world_of(pool)
            await first.reset(TASK, 0)
            waiting = asyncio.ensure_future(second.reset(TASK, 0))
            while not (pool.places[0].circuit.closed and pool.places[0].sessions == 1):
                await asyncio.sleep(0)
            await first.close()
            return (await waiting).text

    with serving("textcraft", sessions=1) as server:
        assert "acacia planks" in asyncio.run(play(server))


def test_a_session_that_has_expired_is_a_fault_in_mid_episode_and_none_at_a_reset(shared_server):
    async def play():
        async with pool_of(shared_server) as pool:
            gone, reset = world_of(pool), world_of(pool)
            for world in (gone, reset):
                await world.reset(TASK, 0)
                await pool.places[0].http.ask(Closed, "DELETE", f"/v1/sessions/{world._session.id}")
            with pytest.raises(EnvironmentFault, match=r"does not exist, or its lease has expired \(unknown_session\)"):
                await gone.step("inventory")
            with pytest.raises(EnvironmentFault, match="done for"):
                await gone.reset(TASK, 0)
            text = (await reset.reset(TASK, 0)).text
            await reset.close()
            return text

    assert "acacia planks" in asyncio.run(play())


class Proxy:
    """Passes bytes on, except that it closes the connection instead of giving the answer to the next ``lose`` requests."""

    def __init__(self, address):
        self.port = int(address.rpartition(":")[2])
        self.lose = 0
        self.lost = 0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        copying = asyncio.ensure_future(self.copy(reader, back))
        while answer := await there.read(1 << 16):
            if self.lose:
                self.lose -= 1
                self.lost += 1
                break
            writer.write(answer)
        copying.cancel()
        back.close()
        writer.close()

    async def copy(self, reader, writer):
        while part := await reader.read(1 << 16):
            writer.write(part)


def test_a_lost_answer_is_asked_for_again_and_nothing_happens_twice(shared_server):
    async def play():
        proxy = Proxy(shared_server)
        async with proxy as address, pool_of(address) as pool:
            world = world_of(pool)
            await world.reset(TASK, 0)
            proxy.lose = 2
            got = await world.step("get 1 acacia log")
            held = await world.step("inventory")
            proxy.lose = 1
            again = await world.reset(TASK, 0)
            await world.close()
            return proxy.lost, got.text, held.text, again.text

    lost, got, held, again = asyncio.run(play())
    assert lost == 3
    assert got == "Got 1 acacia log"
    assert held == "Inventory: [acacia log] (1)"
    assert "acacia planks" in again


def test_something_else_at_the_address_is_a_fault():
    async def serve(reader, writer):
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello")
        writer.close()

    async def play():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with pool_of(address) as pool:
                with pytest.raises(EnvironmentFault, match="took longer"):
                    await world_of(pool, reset_seconds=0.5).reset(TASK, 0)

    asyncio.run(play())


def test_the_token_is_taken_from_the_environment(serving, monkeypatch):
    async def play(server):
        async with pool_of(server) as pool:
            world = world_of(pool)
            text = (await world.reset(TASK, 0)).text
            await world.close()
            return text

    monkeypatch.setenv("AGENTGYM_RL_TOKEN", "the-servers-own-token")
    with serving("textcraft", token="the-servers-own-token") as server:
        assert "acacia planks" in asyncio.run(play(server))
        monkeypatch.setenv("AGENTGYM_RL_TOKEN", "another-token-of-old")
        with pytest.raises(EnvironmentFault, match="wants a token: set AGENTGYM_RL_TOKEN"):
            asyncio.run(play(server))


def test_a_process_that_forks_goes_on_with_its_connections(shared_server, monkeypatch):
    """uvloop forks so for each subprocess, such as the workers of a server in the same process."""
    monkeypatch.setattr(describe, "SECONDS", 10.0)
    with agentgym_rl.make(f"{shared_server}/textcraft") as world:
        world.reset(seed=0)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    agentgym_rl.make(f"{shared_server}/textcraft", distractors=99).close()
