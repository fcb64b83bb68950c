"""What whoever starts a server sets, and what its clients may not."""

import asyncio

import pytest

import agentgym_rl
from agentgym_rl.cli.serve import options_of
from agentgym_rl.config.errors import ConfigError
from agentgym_rl.environments.registry import environment_class
from agentgym_rl.environments.service.protocol.problem import ProblemRaised
from agentgym_rl.environments.service.server.catalogue import Catalogue
from agentgym_rl.environments.textcraft import TextCraft


def first_observation(address: str, **options) -> str:
    with agentgym_rl.make(address, **options) as world:
        return world.reset(options={"task": agentgym_rl.tasks("textcraft", "test")[0].id})[0]


def test_the_servers_options_hold_for_all_and_clients_give_others(serving):
    with serving("textcraft", options={"textcraft": {"distractors": 0}}) as server:
        served = f"{server}/textcraft"
        assert first_observation(served) == first_observation("textcraft", distractors=0)
        assert first_observation(served, distractors=3) == first_observation("textcraft", distractors=3)
    assert first_observation("textcraft", distractors=0) != first_observation("textcraft", distractors=3)


def test_a_client_cannot_give_an_operators_setting(monkeypatch):
    monkeypatch.setattr(TextCraft, "operator_settings", frozenset({"distractors"}))
    catalogue = Catalogue(["textcraft"], 60, {"textcraft": {"distractors": 2}})
    with pytest.raises(ProblemRaised, match=r"distractors of environment 'textcraft' can't be set by a client: .*--option"):
        asyncio.run(catalogue.find("textcraft", {"scenes": 2, "distractors": 0}))
    assert asyncio.run(catalogue.find("textcraft", {"scenes": 2})).operator_settings == {"distractors"}


@pytest.mark.parametrize(
    ("world", "settings"),
    [
        ("webarena", {"sites", "judge", "task_file", "accounts", "browser"}),
        ("miniwob", {"browser"}),
        ("searchqa", {"index"}),
    ],
)
def test_worlds_that_run_programs_or_open_files_keep_those_from_clients(world, settings):
    assert settings <= environment_class(world).operator_settings


def test_options_of_the_command_line():
    worlds = ["textcraft", "package.worlds:Mine"]
    given = ["textcraft.distractors=2", "package.worlds:Mine.size={a: 1}", "textcraft.scenes=3"]
    assert options_of(worlds, given) == {
        "textcraft": {"distractors": 2, "scenes": 3},
        "package.worlds:Mine": {"size": {"a": 1}},
    }
    with pytest.raises(ConfigError, match=r"--option babyai.levels=1: write ENV.KEY=VALUE with ENV one of textcraft"):
        options_of(worlds, ["babyai.levels=1"])
