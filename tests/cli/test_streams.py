"""What becomes of a command whose output nobody can take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TINY = str(Path(__file__).parents[2] / "configs" / "tiny.yaml")

TRAIN = f"""
import sys, types
from pathlib import Path
api = types.ModuleType("agentgym_rl.training.api")
sys.modules["agentgym_rl.training.api"] = api
def train(settings, *, resume, callbacks):
    for number in range(3000):
        callbacks[0].on_message(f"message {{number}}")
        if not number % 1000:
            print("a line of a library")
    Path(settings.run.root, "done").touch()
    raise SystemExit(0)
api.train = train
from agentgym_rl.cli import main
main(["train", {TINY!r}, *sys.argv[1:]])
"""


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``agentgym-rl`` in the command stands for this build's."""
    command = command.replace("agentgym-rl", f"{sys.executable} -m agentgym_rl.cli")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "AGENTGYM_RL_DEBUG": "0", **environment},
    )


def test_training_goes_on_when_nobody_reads(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", TRAIN, f"run.root={tmp_path}"], stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert (tmp_path / "done").exists()
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["agentgym-rl envs | head -c 4", "agentgym-rl envs textcraft --json | head -c 4"])
def test_a_reader_that_leaves_ends_a_command_quietly(command: str) -> None:
    done = shell(command)
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 4, "")


@pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_closed_streams_are_no_error(streams: str) -> None:
    done = shell(f"agentgym-rl envs {streams}")
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_is_written_into_a_file_that_took_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom agentgym_rl.cli.streams import guard_streams\nguard_streams()\n"
        f"stream = open({str(tmp_path / 'file')!r}, 'w')\nassert stream.fileno() > 2\n"
        "os.write(1, b'from a C library')"
    )
    subprocess.run(["bash", "-c", f'{sys.executable} -c "$0" >&-', code], check=True)
    assert (tmp_path / "file").read_text() == ""


def test_results_that_could_not_be_written_are_a_failure() -> None:
    done = shell("agentgym-rl envs >/dev/full")
    assert done.returncode == 1
    assert done.stderr == "error: standard output could not be written: No space left on device\n"
    assert shell("agentgym-rl envs textcrat >/dev/full").returncode == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_characters_gets_question_marks(encoding: str) -> None:
    done = shell("agentgym-rl train --help-settings && agentgym-rl envs nö", PYTHONIOENCODING=encoding)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "error: unknown environment" in done.stderr


def test_json_is_whole_in_any_encoding() -> None:
    code = "from agentgym_rl.cli.console import print_json; print_json({'a': 'é…\\udc80'})"
    for encoding in ("ascii", "utf-8"):
        done = subprocess.run(
            [sys.executable, "-c", f"import json, sys\n{code}"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert done.stdout == '{\n  "a": "\\u00e9\\u2026\\udc80"\n}\n'
