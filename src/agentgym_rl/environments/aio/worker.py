"""The worker process: one world or several, driven by pickled messages over its standard input and output.

Started by :func:`agentgym_rl.environments.aio.process.start_worker`; a message is eight bytes of length and a pickle;
orders are carried out and answered one after another. The input is read by a thread of its own: when it ends, or the
parent's id changes, the parent is gone, and the thread kills the whole process group, whatever the world is busy with.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import struct
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

from agentgym_rl.environments.aio.session import MISUSE, Session
from agentgym_rl.environments.errors import EnvironmentFault

HEADER = struct.Struct("<Q")
PARENT_CHECK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Order:
    """A method of the session and its arguments. The first order to a world makes it; ``close`` forgets it; ``make`` does
    no more than that.
    """

    call: str
    arguments: tuple[Any, ...]
    make: bytes
    """The pickled callable that makes the world."""
    world: int = 0
    """Which of the worlds of this process."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the call returned, or what it raised."""

    result: Any = None
    error: Exception | None = None
    memory: int = 0
    """Bytes that this process holds, told with the answer to a reset; 0 where the system doesn't say."""


def frame(message: Any) -> bytes:
    """The bytes of a message."""
    body = pickle.dumps(message)
    return HEADER.pack(len(body)) + body


def main() -> None:
    parent = int(sys.argv[1])
    # What the world prints must not get between the messages: its standard output becomes standard error.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(messages, parent), daemon=True).start()
    sys.path[:] = pickle.loads(messages.get())
    sessions: dict[int, Session] = {}
    while True:
        order: Order = pickle.loads(messages.get())
        try:
            if order.world not in sessions:
                sessions[order.world] = Session(pickle.loads(order.make)())
            session = sessions.pop(order.world) if order.call == "close" else sessions[order.world]
            result = None if order.call == "make" else getattr(session, order.call)(*order.arguments)
            answer = frame(Answer(result, memory=held_memory() if order.call == "reset" else 0))
        except MISUSE as error:
            answer = frame(Answer(error=type(error)(str(error))))
        except EnvironmentFault as error:
            answer = frame(Answer(error=EnvironmentFault(str(error))))
        except Exception as error:
            answer = frame(Answer(error=EnvironmentFault(f"worker: {order.call} raised {type(error).__name__}: {error}")))
        output.write(answer)
        output.flush()


def held_memory() -> int:
    """Bytes of this process that are in memory; 0 where there is no ``/proc``."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * resource.getpagesize() if statm.exists() else 0


def _read(messages: SimpleQueue[bytes], parent: int) -> None:
    source = os.fdopen(0, "rb", buffering=0)
    while _readable(source, parent) and (message := _message(source)) is not None:
        messages.put(message)
    os.killpg(0, signal.SIGKILL)


def _readable(source: BinaryIO, parent: int) -> bool:
    """Waits for input. False: the parent is gone, though its end of the pipe lives on in a process that it forked."""
    while not select.select([source], [], [], PARENT_CHECK_SECONDS)[0]:
        if os.getppid() != parent:
            return False
    return True


def _message(source: BinaryIO) -> bytes | None:
    header = _exactly(source, HEADER.size)
    return None if header is None else _exactly(source, HEADER.unpack(header)[0])


def _exactly(source: BinaryIO, size: int) -> bytes | None:
    """``size`` bytes; None: the input ended."""
    parts = []
    while size:
        part = source.read(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
