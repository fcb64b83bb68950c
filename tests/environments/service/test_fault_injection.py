"""Workers and servers are killed and frozen while 64 episodes run over two servers: every episode ends, none is counted twice,
no failure becomes a reward.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest

from agentgym_rl.agents.players import player_named
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.settings import WorldSettings

EPISODES = 64
HORIZON = 12
KINDS = {"kill worker": 14, "freeze worker": 3, "kill server": 2, "freeze server": 1}
"""What is done to them, with weights."""
OPTIONS = ("textcraft", "--workers", "2", "--step-seconds", "1", "--reset-seconds", "5", "--lease", "20")


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Servers:
    """Two servers that are hurt, and brought back by the next strike."""

    def __init__(self, start, seed):
        self._start = start
        self._random = random.Random(seed)
        self.servers = [start(*OPTIONS).wait_until_ready() for _ in range(2)]
        self.started = list(self.servers)
        self.addresses = [server.address for server in self.servers]
        self.struck = Counter()
        self._frozen = []

    def strike(self):
        """Hurts one of the two, once the other is well: without both nothing happens until the clients have given up."""
        place = self._random.randrange(2)
        self.restore(1 - place)
        if not self.servers[1 - place].ready():
            return
        kind = self._random.choices(list(KINDS), list(KINDS.values()))[0]
        server = self.servers[place].process
        workers = children(server.pid) if server.poll() is None else []
        victim = server.pid if kind.endswith("server") else self._random.choice(workers) if workers else None
        if victim is None or server.poll() is not None:
            self.restore(place)
            return
        if kind.startswith("kill"):
            os.kill(victim, signal.SIGKILL)
        else:
            os.kill(victim, signal.SIGSTOP)
            self._frozen.append(victim)
        self.struck[kind] += 1

    def restore(self, place):
        """Thaws a frozen server, starts a dead one anew at the same address. Workers are the server's to replace."""
        server = self.servers[place]
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGCONT)
        else:
            port = self.addresses[place].rpartition(":")[2]
            self.servers[place] = self._start(*OPTIONS, port=port)
            self.started.append(self.servers[place])

    def restore_all(self):
        for place in range(2):
            self.restore(place)
        for pid in self._frozen:
            with contextlib.suppress(ProcessLookupError):  # a frozen worker can't see that its server is gone
                os.kill(pid, signal.SIGCONT)


class Strikes:
    """An actor that plays at random; every so many turns of all episodes together something is struck."""

    def __init__(self, servers, every, most):
        self._player = player_named("random", 0)
        self.wants_admissible = self._player.wants_admissible
        self._servers = servers
        self._every = every
        self._most = most
        self._turns = 0
        self._left = random.Random(7)

    def begin(self, job, environment, attempt):
        return _Episode(self, self._player.begin(job, environment, attempt))

    def turn(self):
        self._turns += 1
        if self._servers.struck.total() < self._most and self._left.random() < 1 / self._every:
            self._servers.strike()


class _Episode:
    def __init__(self, strikes, episode):
        self._strikes = strikes
        self._episode = episode

    async def act(self, state, turn):
        self._strikes.turn()
        return await self._episode.act(state, turn)

    def finish(self, trajectory):
        self._episode.finish(trajectory)


def assert_no_bugs(servers):
    """Whatever was done to them, they had words for it."""
    for server in servers.started:
        assert '"message": "bug"' not in server.errors()


def play_round(servers, most, every):
    """64 episodes under ``most`` strikes at most; what becomes of them is checked."""
    settings = WorldSettings(id="textcraft", servers=servers.addresses, reset_seconds=20.0, step_seconds=3.0)
    world = World(settings)
    tasks = world.tasks("train").filter(["depth-3", "depth-4"])
    jobs = [EpisodeJob(tasks[n % len(tasks)], n, n, 0, HORIZON) for n in range(EPISODES)]
    finished = []
    with RolloutRunner([world], concurrency=EPISODES, retries=10) as rollouts:
        episodes = rollouts.play(jobs, Strikes(servers, every, most), keep=lambda episode: finished.append(episode.group))
        servers.restore_all()
    assert sorted(finished) == list(range(EPISODES))  # each once
    assert [(episode.task, episode.group) for episode in episodes] == [(job.task.id, job.group) for job in jobs]
    for episode in episodes:
        assert episode.ended in ("terminated", "horizon", "fault")
        assert (episode.ended == "fault") == (len(episode.faults) > 10)
        assert episode.attempt == min(len(episode.faults), 10)
        assert sum(turn.reward for turn in episode.turns) == episode.score == float(episode.success)
        if episode.ended == "horizon":
            assert len(episode.turns) == HORIZON
    return episodes


def test_a_few_strikes(server_process):
    servers = Servers(server_process, seed=1)
    episodes = play_round(servers, most=4, every=60)
    assert servers.struck.total() == 4
    assert sum(len(episode.faults) for episode in episodes) > 0
    assert sum(episode.ended != "fault" for episode in episodes) > EPISODES // 2
    assert_no_bugs(servers)


@pytest.mark.slow
def test_two_hundred_strikes(server_process):
    servers = Servers(server_process, seed=2)
    rounds = 0
    while servers.struck.total() < 200:
        play_round(servers, most=servers.struck.total() + 20, every=40)
        rounds += 1
        print(rounds, dict(servers.struck))
        assert rounds < 40
    assert servers.struck.keys() == KINDS.keys()
    assert_no_bugs(servers)
