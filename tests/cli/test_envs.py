"""``agentgym-rl envs``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import MissingExtra


def test_lists_the_worlds(invoke: Callable[..., Any]) -> None:
    result = invoke("envs")
    assert result.code == 0
    assert {"textcraft", "babyai"} <= {line.partition(" ")[0] for line in result.output.splitlines()}
    listed = json.loads(invoke("envs", "--json").output)
    assert {"textcraft", "babyai"} <= {one["id"] for one in listed["environments"]}
    assert all(one["summary"] for one in listed["environments"])


def test_shows_one_world(invoke: Callable[..., Any]) -> None:
    shown = json.loads(invoke("envs", "textcraft", "--json").output)
    for split in ("train", "validation", "test"):
        tasks = agentgym_rl.tasks("textcraft", split=split)
        assert shown["splits"][split]["tasks"] == len(tasks)
        assert shown["splits"][split]["categories"]["depth-1"] == len(tasks.filter("depth-1"))
    assert shown["instructions"]
    assert {"get", "craft", "inventory"} <= {one["name"] for one in shown["actions"]}
    assert "expert" in shown["players"]
    env = agentgym_rl.make("textcraft")
    observation, _ = env.reset(seed=0, options={"task": shown["example"]["task"]})
    assert shown["example"]["observation"] == observation
    assert shown["example"]["admissible_actions"] == env.admissible_actions()
    text = invoke("envs", "textcraft").output
    assert str(observation) in text
    assert "depth-4" in text


def test_settings_reach_the_world(invoke: Callable[..., Any]) -> None:
    shown = json.loads(invoke("envs", "babyai", "levels=[GoToObj]", "--json").output)
    assert shown["example"]["task"].startswith("GoToObj/")
    assert list(shown["splits"]["train"]["categories"]) == ["GoTo"]


def test_a_world_whose_extra_is_missing_tells_the_way_out(
    invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise MissingExtra(f"environment {name!r} needs x: pip install 'agentgym-rl[x]'")

    monkeypatch.setattr("agentgym_rl.environments.registry.environment_class", missing)
    assert "pip install 'agentgym-rl[x]'" in invoke("envs").output
    result = invoke("envs", "textcraft")
    assert result.errors == "error: environment 'textcraft' needs x: pip install 'agentgym-rl[x]'\n"
