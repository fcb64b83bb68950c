"""Exit codes, errors, and what a command line costs before it does anything."""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from agentgym_rl.cli.errors import _CODES

COMMANDS = ("envs", "play", "train", "eval", "doctor")


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agentgym_rl.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.parametrize(
    "arguments", [(), ("--help",), ("envs",), ("doctor", "--help"), ("train", "--help"), ("play", "--help")]
)
def test_torch_is_not_imported_before_it_is_needed(arguments: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom agentgym_rl.cli.app import run\n"
        f"assert run({list(arguments)!r}) == 0\n"
        "heavy = {'torch', 'transformers', 'minigrid', 'scipy', 'matplotlib'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_help_and_envs_take_less_than_a_second() -> None:
    for arguments in (("--help",), ("envs",)):
        times = []
        for _ in range(3):
            begun = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert shell(*arguments).returncode == 0
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime)  # others may use the cores too
        assert min(times) < 1.0


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself_with_an_example(invoke: Callable[..., Any], name: str) -> None:
    result = invoke(name, "--help")
    assert result.code == 0
    assert f"Example: agentgym-rl {name}" in result.output.replace("\n", " ")


def test_version_and_bare_call(invoke: Callable[..., Any]) -> None:
    assert invoke("--version").output.strip()[0].isdigit()
    result = invoke()
    assert result.code == 0
    assert all(name in result.output for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("trian",), "No such command 'trian'"),
        (("train",), "Missing argument"),
        (("train", "configs/none.yaml"), "configs/none.yaml: no such file"),
        (("envs", "textcrat"), "unknown environment 'textcrat'; nearest: textcraft"),
        (("envs", "textcraft", "distractor=1"), "no setting 'distractor'; nearest: distractors"),
        (("envs", "textcraft", "distractors"), "write a setting of the world as key=value"),
        (("envs", "no.such:World"), "environment 'no.such:World'"),
        (("play", "textcraft", "--task", "acacia_plank"), "unknown task 'acacia_plank'"),
        (("play", "textcraft", "--split", "tset"), "unknown split 'tset'; known: train, validation, test"),
        (("play", "textcraft", "--category", "depth-9"), "unknown category 'depth-9'; known: depth-1, depth-2"),
        (("play", "textcraft", "--seed", "x"), "--seed"),
        (("play", "textcraft", "--expert", "--player", "random"), "give one of --expert, --player and --model"),
        (("play", "textcraft", "--set", "agent.format=raw"), "nothing without --model"),
        (("play", "textcraft", "--player", "rndom"), "unknown player 'rndom'; did you mean 'random'?"),
        (("play", "textcraft", "--model", "random"), "--model random: should be a run's folder"),
    ],
)
def test_bad_use_is_a_line_or_two_and_code_2(invoke: Callable[..., Any], arguments: tuple[str, ...], words: str) -> None:
    result = invoke(*arguments)
    assert result.code == 2
    assert result.errors.startswith("error: ")
    assert words in result.errors
    assert result.errors.count("\n") <= 2
    assert "Traceback" not in result.errors


def test_the_process_ends_with_the_code_and_without_a_traceback() -> None:
    done = shell("envs", "textcrat")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: unknown environment")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("--debug", "envs", "textcrat"), ("envs", "textcrat")])
def test_debug_shows_the_traceback(arguments: tuple[str, ...]) -> None:
    done = shell(*arguments, AGENTGYM_RL_DEBUG="0" if "--debug" in arguments else "1")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "UnknownEnvironment" in done.stderr


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -m agentgym_rl.cli envs textcraft --json | head -c 10"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert len(done.stdout) == 10
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", sorted(_CODES))
def test_every_known_error_exists_and_is_an_error(name: str) -> None:
    module, _, kind = name.partition(":")
    assert issubclass(getattr(importlib.import_module(module), kind), Exception)
