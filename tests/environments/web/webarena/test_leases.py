"""One episode at a time on a replica, over all processes; what the last one left behind is remembered."""

import asyncio
import os
import subprocess
import sys

import pytest

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.leases import lease
from agentgym_rl.environments.web.webarena.sites import read_sites

SITES = read_sites({"shopping": ["http://h:1", "http://h:2"], "reddit": "http://h:3"}, {})
_HOLD = """
import asyncio, sys
from agentgym_rl.environments.web.webarena.leases import lease
from agentgym_rl.environments.web.webarena.sites import read_sites
sites = read_sites({"reddit": "http://h:3"}, {})
held = asyncio.run(lease(sites, ["reddit"], share=False, seconds=5))
held["reddit"].mark(changed=False)
held["reddit"].release()
held = asyncio.run(lease(sites, ["reddit"], share=False, seconds=5))
print("held", flush=True)
sys.stdin.read()
"""


def _lease(*sites, seconds=0.0, share=False):
    return asyncio.run(lease(SITES, sites, share=share, seconds=seconds))


def test_replicas_go_to_different_episodes():
    one, other = _lease("shopping")["shopping"], _lease("shopping")["shopping"]
    assert {one.replica.url, other.replica.url} == {"http://h:1", "http://h:2"}
    with pytest.raises(EnvironmentFault, match=r"no replica of shopping got free within 0 s \(2 there\).*share=true"):
        _lease("shopping")
    one.release()
    again = _lease("shopping")["shopping"]
    assert again.replica == one.replica
    for held in (again, other):
        held.release()


def test_two_sites_are_taken_in_one_order_and_all_or_none():
    reddit = _lease("reddit")["reddit"]
    with pytest.raises(EnvironmentFault, match="no replica of reddit"):
        _lease("reddit", "shopping")
    held = [_lease("shopping")["shopping"] for _ in range(2)]
    for one in (*held, reddit):
        one.release()
    assert list(_lease("reddit", "shopping")) == ["shopping", "reddit"]


def test_whether_the_last_episode_changed_the_site_is_remembered():
    first = _lease("reddit")["reddit"]
    assert not first.changed
    first.mark(changed=False)
    first.release()
    second = _lease("reddit")["reddit"]
    assert not second.changed
    second.release()  # without a word, as when its process is killed
    third = _lease("reddit")["reddit"]
    assert third.changed
    third.mark(changed=True)
    third.release()
    assert _lease("reddit")["reddit"].changed


def test_a_killed_process_frees_its_replica_which_counts_as_changed():
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(EnvironmentFault, match="no replica of reddit"):
            _lease("reddit")
        holder.kill()
    held = _lease("reddit", seconds=30)["reddit"]
    assert held.changed
    held.release()


def test_shared_replicas_are_taken_in_turn():
    urls = [_lease("shopping", share=True)["shopping"].replica.url for _ in range(4)]
    assert urls in (["http://h:1", "http://h:2"] * 2, ["http://h:2", "http://h:1"] * 2)
