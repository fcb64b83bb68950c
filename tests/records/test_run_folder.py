"""A run's folder: paths, refusals, the lock."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym_rl.records import lock
from agentgym_rl.records.errors import RecordError, RunExists, RunLocked, WriteFailed
from agentgym_rl.records.run_folder import RunFolder


def test_paths_are_those_of_the_docs(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "runs", "a") as folder:
        base = tmp_path / "runs" / "a"
        assert folder.config == base / "config.yaml"
        assert folder.metrics.path == base / "metrics.jsonl"
        assert folder.episodes(3) == base / "episodes" / "3.jsonl.zst"
        assert folder.evaluation(3) == base / "eval" / "3.json"
        assert folder.evaluation_episodes(3) == base / "eval" / "3.jsonl.zst"
        assert folder.checkpoint(3) == base / "checkpoints" / "3"
        assert all(path.is_dir() for path in (base / "episodes", base / "eval", base / "checkpoints"))


def test_an_existing_run_is_refused_with_both_ways_out(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        folder.config.write_text("")
    with pytest.raises(RunExists) as raised:
        RunFolder.create(tmp_path, "a")
    message = str(raised.value)
    assert str(tmp_path / "a") in message
    assert "--resume" in message
    assert "run.name=" in message


def test_a_run_that_never_started_can_be_created_again(tmp_path: Path) -> None:
    RunFolder.create(tmp_path, "a").close()
    RunFolder.create(tmp_path, "a").close()


@pytest.mark.parametrize("left", ["metrics.jsonl", "checkpoints/3/weights", "eval/0.json"])
def test_a_run_that_lost_its_config_is_not_written_over(tmp_path: Path, left: str) -> None:
    RunFolder.create(tmp_path, "a").close()
    path = tmp_path / "a" / left
    path.parent.mkdir(exist_ok=True)
    path.write_text("precious")
    with pytest.raises(RunExists, match=r"holds a run without its config\.yaml"):
        RunFolder.create(tmp_path, "a")
    assert path.read_text() == "precious"


@pytest.mark.parametrize(("lines", "lost"), [([], 1), ([1], 2), ([2], 1), ([1, 3], 2), ([1, 1, 2], 2)])
def test_metrics_that_lack_a_step_are_not_gone_on_from(tmp_path: Path, lines: list[int], lost: int) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        for step in lines:
            folder.metrics.append({"step": step})
        folder.episodes(3).write_text("")
        with pytest.raises(RecordError, match=rf"metrics\.jsonl: the line of step {lost} is missing.*model\.path=.*/2"):
            folder.rewind(2)
        assert [line["step"] for line in folder.metrics.read()] == lines
        assert folder.episodes(3).exists()


def test_what_comes_after_the_checkpoint_is_forgotten(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        for step in (1, 2, 3):
            folder.metrics.append({"step": step})
            folder.episodes(step).write_text("")
        assert [line["step"] for line in folder.rewind(2)] == [1, 2]
        assert [folder.episodes(step).exists() for step in (1, 2, 3)] == [True, True, False]


def test_resuming_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no run to resume"):
        RunFolder.resume(tmp_path, "a")
    assert list(tmp_path.iterdir()) == []


def test_resuming_removes_what_was_half_written(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        folder.config.write_text("")
        folder.checkpoint(2).mkdir()
        (folder.checkpoints / "4.partial").mkdir()
        (folder.checkpoints / "4.partial" / "weights").write_text("")
        (folder.path / "eval" / "3.json.partial").write_text("")
    with RunFolder.resume(tmp_path, "a") as folder:
        assert folder.checkpoint_steps() == [2]
        assert list(folder.path.rglob("*.partial*")) == []


def test_checkpoints_are_ordered_by_step(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        for name in ("10", "9", "100", "x", "5.partial"):
            (folder.checkpoints / name).mkdir()
        (folder.checkpoints / "200").write_text("a file is no checkpoint")
        (folder.checkpoints / "0300").mkdir()  # nor is what no step is called
        assert folder.checkpoint_steps() == [9, 10, 100]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\\b", "a\0b"])
def test_names_that_are_no_folder_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=r"run\.name="):
        RunFolder.create(tmp_path, name)


def test_an_unwritable_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match=r"cannot be written.*run\.root=FOLDER"):
        RunFolder.create(tmp_path / "file", "a")


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO, errno.EACCES])
def test_a_place_that_refuses_is_the_wrong_place_not_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    for target, name in ((Path, "mkdir"), (lock.fcntl, "flock")):
        with monkeypatch.context() as patch:
            patch.setattr(target, name, refuse)
            with pytest.raises(RecordError, match=r"cannot be written.*run\.root=FOLDER") as raised:
                RunFolder.create(tmp_path, "a")
        assert not isinstance(raised.value, WriteFailed)


def test_two_processes_do_not_train_into_one_folder(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a"), pytest.raises(RunLocked, match="is training into it"):
        RunFolder.create(tmp_path, "a")
    RunFolder.create(tmp_path, "a").close()


_HOLDER = """
import sys
from agentgym_rl.records.run_folder import RunFolder
folder = RunFolder.create(sys.argv[1], "a")
print("held", flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RunLocked, match=rf"process {holder.pid} is training"):
            RunFolder.create(tmp_path, "a")
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        RunFolder.create(tmp_path, "a").close()


def test_reports_are_valid_json(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "a") as folder:
        folder.write_json(folder.summary, {"success": 0.5, "text": "é"})
        assert folder.summary.read_text() == '{\n "success": 0.5,\n "text": "é"\n}\n'
        with pytest.raises(ValueError, match="not JSON compliant"):
            folder.write_json(folder.summary, {"success": float("nan")})
        assert '"success": 0.5' in folder.summary.read_text()
