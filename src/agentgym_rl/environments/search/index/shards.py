"""Shards: pieces of a corpus that fit into memory. Each is finished or not there, so that a build goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agentgym_rl.environments.search.index import counts
from agentgym_rl.environments.search.index.format import OFFSETS, PASSAGES
from agentgym_rl.environments.search.index.passages import offsets_of, to_line
from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.records.atomic import folder_atomic

SHARD_PASSAGES = 1 << 16
SHARD_BYTES = 64 << 20
"""A shard ends with the first of the two. About five times so many bytes are needed to count its words."""

_DONE = "shard.json"


@dataclass(frozen=True, slots=True)
class Piece:
    """The passages of a shard that is to be."""

    number: int
    lines: list[bytes]

    @property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for line in self.lines:
            digest.update(line)
        return digest.hexdigest()


def pieces(passages: Iterable[Passage]) -> Iterator[Piece]:
    """Cuts a corpus, which is read once and never held as a whole."""
    lines: list[bytes] = []
    size = number = 0
    for passage in passages:
        line = to_line(passage)
        lines.append(line)
        size += len(line)
        if len(lines) >= SHARD_PASSAGES or size >= SHARD_BYTES:
            yield Piece(number, lines)
            lines, size, number = [], 0, number + 1
    if lines:
        yield Piece(number, lines)


def is_done(folder: Path, sha256: str) -> bool:
    """Whether the shard is there with these passages, from a build that was stopped."""
    try:
        return bool(json.loads((folder / _DONE).read_bytes())["sha256"] == sha256) and counts.are_there(folder)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write_shard(folder: Path, piece: Piece, sha256: str) -> None:
    """Writes the passages and the counts of their words. Raises RecordError: the folder can't be written."""
    with folder_atomic(folder) as partial:
        with (partial / PASSAGES).open("wb") as stream:
            stream.writelines(piece.lines)
        np.save(partial / OFFSETS, offsets_of(piece.lines))
        counts.write_counts(partial, piece.lines)
        (partial / _DONE).write_text(json.dumps({"sha256": sha256, "passages": len(piece.lines)}))
