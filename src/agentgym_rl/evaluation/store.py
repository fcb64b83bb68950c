"""Episodes of an evaluation on disk as they end, so that one that was stopped goes on where it was."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Self

from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.records.episodes import read_episodes, write_episodes
from agentgym_rl.records.lock import FolderLock
from agentgym_rl.records.trajectory import Trajectory

_Key = tuple[str, str, int, int, int]


class EpisodeStore:
    """``episodes.jsonl.zst`` in ``folder``, and beside it parts of ``chunk`` episodes while an evaluation runs.

    A context manager that locks the folder: whatever ends the block, Ctrl-C included, what was finished is written, as one
    file. Parts are there whole or not at all, so a SIGKILL loses ``chunk - 1`` finished episodes at most. Faults are not
    taken for done.

    Raises :class:`~agentgym_rl.records.errors.RecordError` for episodes that are damaged or can't be written, and
    :class:`~agentgym_rl.records.errors.RunLocked` while another process evaluates into the folder.
    """

    def __init__(self, folder: Path, chunk: int = 16) -> None:
        self.path = folder / "episodes.jsonl.zst"
        self._parts = folder / "parts"
        self._lock = FolderLock(folder / ".lock", "evaluating", "--out")
        self._chunk = chunk
        self._fresh: list[Trajectory] = []
        self._done: dict[_Key, Trajectory] = {}
        for path in [*([self.path] if self.path.exists() else []), *sorted(self._parts.glob("*.jsonl.zst"))]:
            for episode in read_episodes(path):
                self._add(episode)

    def __len__(self) -> int:
        return len(self._done)

    def find(self, environment: str, job: EpisodeJob) -> Trajectory | None:
        """The finished episode of ``job``; None where it is to be played."""
        return self._done.get((environment, job.task.id, job.index, job.seed, job.horizon))

    def keep(self, episode: Trajectory) -> None:
        """Take a finished episode; each ``chunk`` of them is written at once."""
        self._fresh.append(episode)
        if len(self._fresh) >= self._chunk:
            self._write_part()

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._fresh:
                self._write_part()
            write_episodes(self.path, self._done.values())
            shutil.rmtree(self._parts, ignore_errors=True)
        finally:
            self._lock.release()

    def _write_part(self) -> None:
        self._parts.mkdir(parents=True, exist_ok=True)
        write_episodes(self._parts / f"{len(self._done):08}.jsonl.zst", self._fresh)
        for episode in self._fresh:
            self._add(episode)
        self._fresh = []

    def _add(self, episode: Trajectory) -> None:
        if episode.valid:
            self._done[episode.environment, episode.task, episode.index, episode.seed, episode.horizon] = episode
