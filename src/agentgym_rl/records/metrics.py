"""``metrics.jsonl``: one line a step, appended, completed by its evaluation, cut back when a run is resumed."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentgym_rl.records.atomic import unwritable, write_atomic
from agentgym_rl.records.errors import RecordError

Line = dict[str, Any]


class MetricsFile:
    """The metrics of a run, by step. A number that is not finite is written as ``null``: JSON has no NaN."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, metrics: Mapping[str, float | int | None]) -> Line:
        """Add the line of a step (``metrics["step"]``) and flush it to the disk. Returns what was written."""
        line = _finite(metrics)
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, allow_nan=False) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise unwritable(self.path, error) from error
        return line

    def read(self) -> list[Line]:
        """All whole lines, in order; none when there is no file. A last line without its end was cut by a stop: dropped.

        Raises :class:`RecordError` naming file and line for anything else that is not a line of metrics.
        """
        try:
            *whole, _cut = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RecordError(f"{self.path}: not readable: {error.strerror}; put the run's metrics back there") from error
        lines: list[Line] = []
        for number, text in enumerate(whole, start=1):
            try:
                line = json.loads(text)
                line["step"] + 0
            except (ValueError, TypeError, KeyError) as error:
                raise RecordError(f"{self.path}:{number}: not a line of metrics ({error}); delete the line") from error
            lines.append(line)
        return lines

    def amend(self, step: int, more: Mapping[str, float | int | None]) -> Line:
        """Add values to the line of ``step``, which must be there, whole or not at all. Returns the line."""
        lines = self.read()
        (line,) = (line for line in lines if line["step"] == step)
        line |= _finite(more)
        self._write(lines)
        return line

    def truncate(self, step: int) -> list[Line]:
        """Keep the lines of steps up to ``step``, drop later ones (they will be written again) and a cut last line.

        Returns the lines kept.
        """
        kept = [line for line in self.read() if line["step"] <= step]
        self._write(kept)
        return kept

    def _write(self, lines: Iterable[Line]) -> None:
        write_atomic(self.path, "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines))


def _finite(metrics: Mapping[str, float | int | None]) -> Line:
    return {key: value if value is None or math.isfinite(value) else None for key, value in metrics.items()}
