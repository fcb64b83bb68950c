"""``agentgym-rl serve`` as a process: how it starts, stops, and dies."""

import os
import select
import signal
from pathlib import Path

import pytest

import agentgym_rl
from agentgym_rl.agents.players import player_named
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.settings import WorldSettings


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def has_ended(pid):
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with os.fdopen(handle):
        return bool(select.select([handle], [], [], 20)[0])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_ends_well_and_leaves_no_process(server_process, number):
    server = server_process("aio_worlds:Imp", "--workers", "2").wait_until_ready()
    workers = children(server.process.pid)
    assert len(workers) == 2
    world = agentgym_rl.make(server.urls[0])
    world.reset(seed=0)
    child = int(world.step("child")[0])
    server.process.send_signal(number)
    assert server.process.wait(60) == 0
    assert all(has_ended(pid) for pid in [*workers, child])
    with pytest.raises(EnvironmentFault):
        world.step("x")


def test_a_killed_server_leaves_no_process(server_process):
    server = server_process("aio_worlds:Imp", "--workers", "2").wait_until_ready()
    world = agentgym_rl.make(server.urls[0])
    world.reset(seed=0)
    pids = [*children(server.process.pid), int(world.step("child")[0])]
    server.process.kill()
    server.process.wait()
    assert len(pids) == 3
    assert all(has_ended(pid) for pid in pids)


@pytest.mark.parametrize(
    ("arguments", "variables", "message"),
    [
        (("textcraft", "--host", "0.0.0.0"), {}, "a token is needed: set AGENTGYM_RL_TOKEN"),
        (("textcraft",), {"AGENTGYM_RL_TOKEN": "short"}, "a token has 16 printable ASCII characters at least"),
        (("textcarft",), {}, "unknown environment 'textcarft'; nearest: textcraft"),
        (("textcraft", "--step-seconds", "5"), {}, "step_seconds=5 would do nothing without workers"),
        (("textcraft", "--ssl-keyfile", __file__), {}, "TLS needs both"),
        (
            ("textcraft", "--ssl-certfile", "/nothing_here"),
            {},
            "--ssl-certfile=/nothing_here: Path does not point to a file",
        ),
        (("textcraft", "--lease", "0"), {}, "--lease=0.0: Input should be greater than 0"),
        (("textcraft", "--host", "192.0.2.1"), {"AGENTGYM_RL_TOKEN": "x" * 20}, "can't listen on 192.0.2.1"),
    ],
)
def test_what_does_not_start_says_why(server_process, arguments, variables, message):
    server = server_process(*arguments, **variables)
    out, _ = server.process.communicate(timeout=60)
    errors = server.errors()
    assert server.process.returncode == 2
    assert message in errors
    assert "Traceback" not in errors
    assert out == ""


class Interfering:
    """Plays at random, and does something before a turn."""

    def __init__(self, turn, act):
        self._player = player_named("random", 0)
        self.wants_admissible = self._player.wants_admissible
        self._turns = 0
        self._when = turn
        self._interfere = act

    def begin(self, job, environment, attempt):
        self._episode = self._player.begin(job, environment, attempt)
        return self

    async def act(self, state, turn):
        self._turns += 1
        if self._turns == self._when:
            self._interfere()
        return await self._episode.act(state, turn)

    def finish(self, trajectory):
        self._episode.finish(trajectory)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_an_episode_whose_server_dies_begins_again_on_another(server_process, number):
    """With one episode at a time, the first server is whichever got the session."""
    servers = [server_process("textcraft"), server_process("textcraft")]
    addresses = {server.wait_until_ready().address: server for server in servers}
    settings = WorldSettings(id="textcraft", servers=list(addresses), step_seconds=2.0, reset_seconds=20.0)
    world = World(settings)
    task = world.tasks("train").filter("depth-4")[0]

    def strike():
        (place,) = [place for place in world._source._pool.places if place.sessions]
        addresses[place.http.address].process.send_signal(number)

    with RolloutRunner([world], concurrency=1, retries=2) as rollouts:
        (episode,) = rollouts.play([EpisodeJob(task, 0, 0, 0, 6)], Interfering(3, strike))
    assert episode.ended == "horizon"
    assert len(episode.turns) == 6
    assert len(episode.faults) == 1
    assert episode.attempt == 1


def test_a_rollout_over_servers_is_the_one_in_process(server_process):
    servers = [
        server_process("textcraft", "--allow-expert"),
        server_process("textcraft", "--allow-expert", "--workers", "1"),
    ]
    addresses = [server.wait_until_ready().address for server in servers]
    played = []
    for settings in (
        WorldSettings(id="textcraft"),
        WorldSettings(id="textcraft", servers=addresses),
        WorldSettings(id="textcraft", workers=2),
    ):
        world = World(settings)
        assert world.in_process is (len(played) == 0)
        tasks = world.tasks("test")[:12]
        jobs = [EpisodeJob(task, 0, number, 0, 12) for number, task in enumerate(tasks)]
        with RolloutRunner([world], concurrency=6) as rollouts:
            episodes = rollouts.play(jobs, player_named("expert", 0))
        assert not any(episode.faults for episode in episodes)
        played.append(
            [
                (e.task, e.score, e.ended, [(t.observation, t.action, t.reward, t.state_key) for t in e.turns])
                for e in episodes
            ]
        )
    assert played[0] == played[1] == played[2]
    assert all(score == 1.0 for _, score, *_ in played[0])


def test_a_server_that_is_killed_while_it_starts_is_not_ready(server_process):
    server = server_process("textcraft")
    server.process.kill()
    os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOWAIT)
    assert not server.ready()
    assert not server.ready()
