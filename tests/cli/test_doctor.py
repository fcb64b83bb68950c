"""``agentgym-rl doctor``."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.cli import machine
from agentgym_rl.cli.extras import _PURPOSES, Extra, extra_of_module, extras

ROOT = Path(__file__).parents[2]


def test_tells_what_there_is(invoke: Callable[..., Any]) -> None:
    content = json.loads(invoke("doctor", "--json").output)
    assert content["python"] == sys.version.split()[0]
    assert content["cores"] >= 1
    assert content["memory_bytes"] > 2**28
    assert content["disk_free_bytes"] > 0
    assert content["torch"]["version"]
    assert {"java", "chromium"} <= content["programs"].keys()
    assert content["models"]["cache"]
    shown = invoke("doctor")
    assert shown.code == 0
    assert content["torch"]["version"] in shown.output


def test_knows_every_extra_of_the_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert declared.keys() == _PURPOSES.keys()
    assert {extra.name for extra in extras()} == declared.keys()


def test_missing_extras_come_with_their_pip_line(invoke: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    some = [Extra("wandb", {"wandb": None}), Extra("lora", {"peft": "1.0"})]
    monkeypatch.setattr("agentgym_rl.cli.extras.extras", lambda: some)
    monkeypatch.setattr(machine, "torch_build", lambda: None)
    shown = invoke("doctor").output
    assert "needs wandb: pip install 'agentgym-rl[wandb]'" in shown
    assert "pip install 'agentgym-rl[train]'" in shown  # torch


def test_a_module_leads_to_its_extra() -> None:
    found = extra_of_module("torch.nn")
    assert found is not None
    assert found.install == "pip install 'agentgym-rl[train]'"
    assert extra_of_module("no_such_module") is None
