"""``agentgym-rl play``: a person, the oracle, simple players."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import agentgym_rl

TASK = "acacia_planks"


def test_a_person_plays_to_the_end(invoke: Callable[..., Any]) -> None:
    typed = "get 1 acacia log\ncraft 4 acacia planks using 1 acacia log\n"
    result = invoke("play", "textcraft", "--task", TASK, typed=typed)
    assert result.code == 0
    assert "Goal: craft acacia planks." in result.output
    assert "Got 1 acacia log" in result.output
    assert "success: score 1 in 2 turns" in result.output


def test_question_mark_lists_and_a_number_takes(invoke: Callable[..., Any]) -> None:
    env = agentgym_rl.make("textcraft")
    env.reset(seed=0, options={"task": TASK})
    admissible = env.admissible_actions()
    assert admissible
    wanted = admissible.index("get 1 acacia log") + 1
    result = invoke("play", "textcraft", "--task", TASK, typed=f" ? \n{wanted}\n")
    assert all(f"{number:3} {action}" in result.output for number, action in enumerate(admissible, start=1))
    assert "Got 1 acacia log" in result.output
    assert "no success: score 0 in 1 turns" in result.output


def test_a_number_is_an_action_of_its_own_unless_listed(invoke: Callable[..., Any]) -> None:
    result = invoke("play", "textcraft", "--task", TASK, typed="1\n")
    assert "Could not execute '1'" in result.output


def test_the_expert_can_be_asked_for_each_turn(invoke: Callable[..., Any]) -> None:
    result = invoke("play", "textcraft", "--task", TASK, typed="!\n!\n")
    assert "success: score 1 in 2 turns" in result.output


def test_end_of_input_ends_the_episode(invoke: Callable[..., Any]) -> None:
    result = invoke("play", "textcraft", "--task", TASK)
    assert result.code == 0
    assert "no success: score 0 in 0 turns" in result.output


@pytest.mark.parametrize("world", ["textcraft", "babyai"])
def test_the_oracle_plays(invoke: Callable[..., Any], world: str) -> None:
    result = invoke("play", world, "--split", "test", "--seed", "2", "--expert")
    assert result.code == 0
    assert "\n1> " in result.output
    assert result.output.splitlines()[-1].startswith("success: score ")


def test_the_seed_draws_the_task(invoke: Callable[..., Any]) -> None:
    first = {invoke("play", "textcraft", "--expert", "--seed", str(seed)).output.splitlines()[0] for seed in range(5)}
    assert len(first) > 1
    again = invoke("play", "textcraft", "--expert", "--seed", "3").output
    assert again == invoke("play", "textcraft", "--expert", "--seed", "3").output
    assert "(depth-1, test)" in invoke("play", "textcraft", "--category", "depth-1", "--split", "test").output


def test_turns_bound_the_episode(invoke: Callable[..., Any]) -> None:
    result = invoke("play", "textcraft", "--player", "null", "--turns", "3")
    assert "no success: score 0 in 3 turns" in result.output


def test_what_a_person_types_cannot_disturb_the_terminal(invoke: Callable[..., Any]) -> None:
    result = invoke("play", "textcraft", "--task", TASK, typed="\x1b[2J\x07[bold]é\ud83d\n")
    assert "\x1b" not in result.output
    assert "[bold]" in result.output


def test_only_a_listed_number_stands_for_an_action(invoke: Callable[..., Any]) -> None:
    for line in ("9" * 5000, "0", "-1", "٣", "²"):
        result = invoke("play", "textcraft", "--task", TASK, typed=f"?\n{line}\n")
        assert result.code == 0
        assert f"Could not execute '{line[:20]}" in result.output
    assert "Could not execute" not in invoke("play", "textcraft", "--task", TASK, typed="?\n1\n").output


def test_bytes_that_are_no_text_cost_a_turn() -> None:
    command = [sys.executable, "-m", "agentgym_rl.cli", "play", "textcraft", "--task", TASK]
    done = subprocess.run(command, input=b"\xff\xfe\x00\n", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "no success: score 0 in 1 turns" in done.stdout.decode()


def test_control_c_ends_at_once() -> None:
    """At a terminal, while a line is awaited."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "agentgym_rl.cli", "play", "textcraft", "--task", TASK]
    with subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.close(slave)
        assert process.stdout is not None
        assert process.stderr is not None
        while b"Goal:" not in process.stdout.readline():
            pass
        while process.stdout.read(1) != b">":
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert process.stderr.read() == b""
    os.close(master)
