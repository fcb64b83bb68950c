"""Whole or not at all: full disks, exceptions, a process killed in the middle."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.records import atomic
from agentgym_rl.records.atomic import PARTIAL, folder_atomic, write_atomic
from agentgym_rl.records.errors import DiskFull, RecordError, WriteFailed


def test_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.json"
    write_atomic(path, "one ä")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


def test_a_reader_of_the_old_file_never_sees_the_new_one_half_written(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_atomic(path, "old")
    with path.open() as reader:
        write_atomic(path, "new")
        assert reader.read() == "old"


def test_folders_are_renamed_when_full(tmp_path: Path) -> None:
    path = tmp_path / "7"
    with folder_atomic(path) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "a").write_text("1")
        assert not path.exists()
    assert (path / "inner" / "a").read_text() == "1"
    with folder_atomic(path) as folder:
        (folder / "b").write_text("2")
    assert [one.name for one in path.iterdir()] == ["b"]
    assert [one.name for one in tmp_path.iterdir()] == ["7"]


def test_a_left_over_folder_does_not_leak_into_the_next(tmp_path: Path) -> None:
    left = tmp_path / f"7{PARTIAL}"
    left.mkdir()
    (left / "old").write_text("x")
    with folder_atomic(tmp_path / "7") as folder:
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_exception_in_the_block_leaves_all_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "7"
    with folder_atomic(path) as folder:
        (folder / "good").write_text("1")

    def fail() -> None:
        with folder_atomic(path) as folder:
            (folder / "bad").write_text("2")
            raise error

    with pytest.raises(error):
        fail()
    assert [one.name for one in path.iterdir()] == ["good"]
    assert [one.name for one in tmp_path.iterdir()] == ["7"]


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_keeps_the_old_file_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    write_atomic(path, "old")
    monkeypatch.setattr(atomic.os, "fsync", full_disk)
    with pytest.raises(DiskFull, match=r"the disk is full.*run\.root=FOLDER") as raised:
        write_atomic(path, "new")
    assert str(path) in str(raised.value)
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_a_full_disk_keeps_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "7"
    with folder_atomic(path) as folder:
        (folder / "a").write_text("old")

    def fill() -> None:
        with folder_atomic(path) as folder:
            (folder / "a").write_text("new")

    monkeypatch.setattr(atomic.os, "fsync", full_disk)
    with pytest.raises(DiskFull):
        fill()
    assert (path / "a").read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["7"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EFBIG, errno.EROFS])
def test_a_disk_that_gives_up_is_a_failure_not_bad_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def give_up(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, "fsync", give_up)
    with pytest.raises(
        WriteFailed, match=rf"a: cannot be written: {os.strerror(number)}; what was saved before is untouched"
    ):
        write_atomic(tmp_path / "a", "new")


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match=r"file/a: cannot be written: (Not a directory|File exists)"):
        write_atomic(tmp_path / "file" / "a", "x")


_WRITER = """
import os, signal, sys
from pathlib import Path
from agentgym_rl.records import atomic
calls, last = 0, int(sys.argv[2])
real = {name: getattr(os, name) for name in ("fsync", "open", "close")}
def dying(name):
    def call(*arguments):
        global calls
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        calls += 1
        return real[name](*arguments)
    return call
for name in real:
    setattr(atomic.os, name, dying(name))
with atomic.folder_atomic(Path(sys.argv[1]) / "2") as folder:
    (folder / "weights").write_text("x" * 100_000)
    (folder / "state").write_text("y")
atomic.write_atomic(Path(sys.argv[1]) / "metrics", "new")
print("done", flush=True)
"""


def test_killed_at_any_call_nothing_is_half_there(tmp_path: Path) -> None:
    finished = False
    for last in range(60):
        base = tmp_path / str(last)
        base.mkdir()
        (base / "metrics").write_text("old")
        done = subprocess.run([sys.executable, "-c", _WRITER, str(base), str(last)], capture_output=True, check=False)
        assert (base / "metrics").read_text() in ("old", "new")
        if (base / "2").exists():
            assert (base / "2" / "weights").stat().st_size == 100_000
            assert (base / "2" / "state").read_text() == "y"
        if done.returncode == 0:
            finished = True
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert finished
    assert last > 5
