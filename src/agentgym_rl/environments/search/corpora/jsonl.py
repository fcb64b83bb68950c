"""JSON Lines: a passage a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO

from agentgym_rl.environments.search.corpora.row import Bad, from_row
from agentgym_rl.environments.search.retrieval import Passage

LONGEST_LINE = 16 << 20
"""Bytes. A longer line is not read into memory."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_jsonl(stream: BinaryIO) -> Iterator[Passage | Bad]:
    """Empty lines are passed over."""
    for number in count(1):
        line = stream.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) == LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE)
            yield Bad(f"line {number}", f"longer than {LONGEST_LINE >> 20} MiB")
            continue
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line.isspace() and line:
            yield _passage(line, f"line {number}")


def _passage(line: bytes, place: str) -> Passage | Bad:
    try:
        return from_row(json.loads(line.decode().rstrip()), place)
    except UnicodeDecodeError as error:
        return Bad(place, f"not UTF-8 at byte {error.start + 1}")
    except json.JSONDecodeError as error:
        return Bad(place, f"not JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError):  # a number of thousands of digits, brackets without end
        return Bad(place, "not JSON that can be read")
