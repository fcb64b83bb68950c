"""Where everything of a run lies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Self

from agentgym_rl.records.atomic import PARTIAL, unwritable, write_atomic
from agentgym_rl.records.errors import RecordError, RunExists
from agentgym_rl.records.lock import FolderLock
from agentgym_rl.records.metrics import Line, MetricsFile

_LONGEST_NAME = 200
"""Bytes of a run's name: file systems take 255, and what is being written has a suffix."""


class RunFolder:
    """The paths of ``ROOT/NAME``, and the lock on it. Nothing is created before :meth:`create` or :meth:`resume`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.metrics = MetricsFile(path / "metrics.jsonl")
        self.checkpoints = path / "checkpoints"
        self.summary = path / "summary.json"
        self.curve = path / "curve.png"
        self._lock = FolderLock(path / ".lock")

    @classmethod
    def create(cls, root: str | Path, name: str) -> Self:
        """A new folder, locked. Raises :class:`RunExists` when a run of that name is there already."""
        folder = cls(run_path(root, name))
        if folder.config.exists():
            raise RunExists(
                f"{folder.path} exists already. Go on with it: add --resume. Start another: add run.name=NAME"
                " (or delete the folder)"
            )
        if folder.metrics.path.exists() or folder.checkpoint_steps() or any((folder.path / "eval").glob("*.json")):
            raise RunExists(
                f"{folder.path} holds a run without its config.yaml. Put that back and add --resume. Start another: add"
                " run.name=NAME (or delete the folder)"
            )
        folder._take()
        return folder

    @classmethod
    def resume(cls, root: str | Path, name: str) -> Self:
        """The folder of a run that was started, locked, without what a stop left half written."""
        folder = cls(run_path(root, name))
        if not folder.config.exists():
            raise RecordError(f"{folder.path}: no run to resume: it has no config.yaml. Start it without --resume")
        folder._take()
        for partial in folder.path.rglob(f"*{PARTIAL}"):
            if partial.is_dir():
                shutil.rmtree(partial)
            else:
                partial.unlink(missing_ok=True)
        return folder

    def _take(self) -> None:
        try:
            for path in (self.path, self.path / "episodes", self.path / "eval", self.checkpoints):
                path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.path, error, at_start=True) from error
        self._lock.acquire()

    def close(self) -> None:
        """Release the lock. Idempotent."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def episodes(self, step: int) -> Path:
        """The episodes of a training step."""
        return self.path / "episodes" / f"{step}.jsonl.zst"

    def evaluation(self, step: int) -> Path:
        """The report of the evaluation after ``step`` steps."""
        return self.path / "eval" / f"{step}.json"

    def evaluation_episodes(self, step: int) -> Path:
        return self.path / "eval" / f"{step}.jsonl.zst"

    def checkpoint(self, step: int) -> Path:
        """The checkpoint's folder."""
        return self.checkpoints / str(step)

    def checkpoint_steps(self) -> list[int]:
        """The steps that have a whole checkpoint, ascending."""
        found = ((int(path.name), path) for path in self.checkpoints.glob("*") if path.name.isdecimal())
        return sorted(step for step, path in found if path == self.checkpoint(step) and path.is_dir())

    def rewind(self, step: int) -> list[Line]:
        """Forget what was written after ``step``: it will be made again. Returns the metrics up to there.

        Raises :class:`RecordError` when they are not all there: nothing is forgotten then.
        """
        held = [line["step"] for line in self.metrics.read() if line["step"] <= step]
        if held != list(range(1, step + 1)):
            lost = next((number for number, other in enumerate(held, start=1) if number != other), len(held) + 1)
            raise RecordError(
                f"{self.metrics.path}: the line of step {lost} is missing or out of place, and {self.checkpoint(step)} goes on"
                " from them. Put it back, or start another run from the checkpoint:"
                f" run.name=NAME model.path={self.checkpoint(step)}"
            )
        for path in [*(self.path / "episodes").iterdir(), *(self.path / "eval").iterdir()]:
            number = path.name.partition(".")[0].removeprefix("free-")
            if number.isdecimal() and int(number) > step:
                path.unlink()
        return self.metrics.truncate(step)

    def write_json(self, path: Path, content: Any) -> None:
        """Write a report or summary whole or not at all; a number that is not finite is an error."""
        write_atomic(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def run_path(root: str | Path, name: str) -> Path:
    """``ROOT/NAME``. Raises :class:`RecordError` for a name that is no single folder's name."""
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        raise RecordError(
            f"run.name={name[:20]}… has {len(name)} characters; a folder's name has {_LONGEST_NAME} bytes at most"
        )
    if not name or name in (".", "..") or any(mark in name for mark in "/\\\0"):
        raise RecordError(f"run.name={name!r} is no folder name; put folders into run.root")
    return Path(root) / name
