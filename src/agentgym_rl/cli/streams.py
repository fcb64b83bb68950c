"""Standard streams that never end a command: a reader that went away, a full disk and a closed descriptor lose output only."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class LossyFile(io.FileIO):
    """Writes to a descriptor until that fails, then to nowhere. Training must not end because ``head`` has seen enough."""

    failed: OSError | None = None
    """What ended the output."""

    def write(self, data: ReadableBuffer, /) -> int:
        """As FileIO's, but an error of the system is kept instead of raised."""
        if self.failed is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failed = error
        return memoryview(data).nbytes


def guard_streams() -> list[LossyFile]:
    """Replace standard output and error by lossy ones, and what is closed of the three by nothing to read or write.

    Returns the files under output and error. A character that the terminal's encoding lacks is written as ``?``, and bytes
    that are none in it are read as U+FFFD.
    """
    for descriptor in range(3):  # ascending: the lowest free descriptor is the one opened
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it lives as long as the process
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    output, sys.stdout = _lossy(1, sys.stdout)
    errors, sys.stderr = _lossy(2, sys.stderr)
    return [output, errors]


def lost_output(output: LossyFile) -> str | None:
    """What to say when output was lost; None where nothing was, or its reader wanted no more."""
    if output.failed is None or output.failed.errno == errno.EPIPE:
        return None
    return f"standard output could not be written: {output.failed.strerror}"


def _lossy(descriptor: int, old: TextIO | None) -> tuple[LossyFile, io.TextIOWrapper]:
    if old is not None:
        old.flush()
    raw = LossyFile(descriptor, "w", closefd=False)
    encoding = "utf-8" if old is None else old.encoding
    line_buffering = descriptor == 2 or raw.isatty()
    return raw, io.TextIOWrapper(io.BufferedWriter(raw), encoding, "replace", line_buffering=line_buffering)
