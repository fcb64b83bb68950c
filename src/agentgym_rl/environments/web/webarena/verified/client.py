"""Drives the worker of webarena-verified: one process for all worlds of this one, every answer by a deadline."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena.errors import TaskFileError
from agentgym_rl.environments.web.webarena.verified.package import python

_START_SECONDS = 90.0
_SECONDS = 25.0
_WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the package says of an episode."""

    score: float
    """1 or 0."""
    status: str
    """``success``, ``failure``, or ``error`` where an evaluator could not read the answer or a request: that scores 0 as well."""
    messages: tuple[str, ...]
    """Why not."""


class VerifiedWorker:
    """Starts the process when it is first needed, and again when it died or overran its deadline. Any thread may call."""

    def __init__(self, task_file: Path | None = None, *, seconds: float = _SECONDS) -> None:
        """``task_file``: tasks of the user's own in place of the package's; ``seconds``: deadline of an evaluation."""
        self._task_file = task_file
        self._seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._ready = False

    def start(self) -> None:
        """Starts the process and does not wait for it, which takes a second or two.

        Raises:
            VerifiedMissing: the package is not installed.
        """
        with self._lock:
            self._started()

    def wait(self) -> None:
        """Starts the process and waits until it has read its tasks.

        Raises:
            EnvironmentFault: it can't, or not in time.
            VerifiedMissing: the package is not installed.
        """
        with self._lock:
            self._made_ready()

    def evaluate(self, task: int, answer: Any, events: Sequence[Mapping[str, Any]], sites: Mapping[str, str]) -> Verdict:
        """Score an episode.

        Args:
            task: its number in the task file.
            answer: what the agent said, in the package's form.
            events: its requests in order, as entries of an HTTP archive.
            sites: addresses by placeholder, of the replicas it used.

        Raises:
            EnvironmentFault: the worker died, broke, or did not answer in time.
            VerifiedMissing: the package is not installed.
        """
        order = {"task": task, "answer": answer, "events": list(events), "sites": dict(sites)}
        with self._lock:
            process = self._made_ready()
            # On a thread: a worker that reads no longer would block us past every deadline.
            threading.Thread(target=_write, args=(process, json.dumps(order)), daemon=True).start()
            found = self._answer(process, self._seconds)
        if "failed" in found:
            raise EnvironmentFault(f"webarena: webarena-verified broke on task {task}: {found['failed']}")
        return Verdict(found["score"], found["status"], tuple(found["messages"]))

    def close(self) -> None:
        """End the process. Idempotent; a later evaluation starts another."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        own = [] if self._task_file is None else [str(self._task_file)]
        process = subprocess.Popen(
            [str(python()), "-I", str(_WORKER), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._lines = SimpleQueue()
        threading.Thread(target=_read, args=(process, self._lines), name="webarena-verified", daemon=True).start()
        self._process = process
        return process

    def _made_ready(self) -> subprocess.Popen[str]:
        process = self._started()
        if not self._ready:
            found = self._answer(process, _START_SECONDS)
            if "failed" in found:
                self._end()
                raise EnvironmentFault(f"webarena: webarena-verified does not start: {found['failed']}")
            self._ready = True
        return process

    def _answer(self, process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            self._end()
            raise EnvironmentFault(f"webarena: webarena-verified does not answer within {seconds:g} s") from None
        if not line:
            self._end()
            raise EnvironmentFault(f"webarena: the worker of webarena-verified ended with code {process.returncode}")
        found: dict[str, Any] = json.loads(line)
        return found

    def _end(self) -> None:
        process, self._process, self._ready = self._process, None, False
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


@cache
def shared_worker(task_file: Path | None) -> VerifiedWorker:
    """The worker of this process. It ends by itself with us: its input does."""
    return VerifiedWorker(task_file)


def start_evaluators(task_file: Path | None) -> None:
    """Has the worker of this process started; tasks of the user's own are read at once.

    Raises:
        TaskFileError: they can't be.
        VerifiedMissing: the package is not installed.
    """
    worker = shared_worker(task_file)
    if task_file is None:
        return worker.start()
    try:
        return worker.wait()
    except EnvironmentFault as error:
        raise TaskFileError(f"{task_file}: {str(error).removeprefix('webarena: ')}") from error


def _read(process: subprocess.Popen[str], lines: SimpleQueue[str]) -> None:
    """Passes lines on; an empty one at the end."""
    assert process.stdout is not None
    with suppress(ValueError, OSError):  # closed under our hands
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def _write(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    with suppress(ValueError, OSError):  # gone: no answer comes either
        process.stdin.write(line + "\n")
        process.stdin.flush()


os.register_at_fork(after_in_child=shared_worker.cache_clear)  # a fork must not talk on its parent's pipes
