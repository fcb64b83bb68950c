"""Where a world's settings say its environments come from, and which settings contradict each other."""

from __future__ import annotations

import sys

import pytest
from pydantic import ValidationError

from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra, UnknownEnvironment
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.sources import source_of

SERVER = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("settings", "kind", "in_process"),
    [
        ({}, "LocalSource", True),
        ({"runner": "thread"}, "LocalSource", False),
        ({"workers": 2, "step_seconds": 3.0}, "WorkersSource", False),
        ({"servers": [SERVER], "step_seconds": 3.0}, "ServersSource", False),
        ({"id": f"{SERVER}/textcraft", "reset_seconds": 3.0}, "ServersSource", False),
    ],
)
def test_the_source_is_the_one_that_settings_ask_for(settings, kind, in_process):
    source = source_of(WorldSettings(**settings))
    assert type(source).__name__ == kind
    assert source.in_process is in_process


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"servers": [SERVER], "runner": "process"}, "environment.runner=process would do nothing with environment.servers"),
        ({"servers": [SERVER], "workers": 2}, "environment.workers=2 would do nothing with environment.servers"),
        ({"workers": 2, "runner": "thread"}, "environment.runner=thread would do nothing with environment.workers"),
        ({"id": f"{SERVER}/textcraft", "runner": "process"}, "would do nothing with a served environment.id"),
        ({"id": f"{SERVER}/textcraft", "servers": [SERVER]}, "names its server"),
        ({"servers": ["127.0.0.1:8001"]}, "'127.0.0.1:8001' is no server's address: write http://HOST:PORT"),
        ({"servers": ["http://"]}, "is no server's address"),
        ({"servers": ["http://user@host:1"]}, "is no server's address"),
        ({"workers": 0}, "greater than or equal to 1"),
        ({"step_seconds": 3.0}, "would do nothing with environment.runner=inline"),
    ],
)
def test_contradictions(settings, message):
    with pytest.raises(ValidationError) as caught:
        WorldSettings(**settings)
    assert message in str(caught.value)


def test_a_slash_at_the_end_of_an_address_is_no_matter():
    assert WorldSettings(servers=[f"{SERVER}/"]).servers == [SERVER]


def test_what_only_begins_like_an_address():
    with pytest.raises(UnknownEnvironment, match="give a served one as http://HOST:PORT/ENV"):
        source_of(WorldSettings(id="http://textcraft"))


def test_when_no_server_answers_all_causes_are_told():
    other = "http://127.0.0.1:2"
    source = source_of(WorldSettings(servers=[SERVER, other]))
    with pytest.raises(EnvironmentFault) as caught:
        source.tasks("train")
    assert SERVER in str(caught.value)
    assert other in str(caught.value)


def test_without_the_extra_the_install_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("agentgym_rl.environments.sources.servers")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("agentgym_rl.environments.service.client.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(MissingExtra, match=r"need aiohttp: pip install 'agentgym-rl\[serve\]'"):
        source_of(WorldSettings(servers=[SERVER]))
