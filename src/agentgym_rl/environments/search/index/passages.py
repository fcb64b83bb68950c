"""The passages of an index: files mapped into memory, of which only what is asked for is read."""

from __future__ import annotations

import json
import mmap
import os
from bisect import bisect_right
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.index.format import OFFSETS, PASSAGES, SHARDS, shard_folder
from agentgym_rl.environments.search.retrieval import Passage


def to_line(passage: Passage) -> bytes:
    """As a passage is stored; lone surrogates, which no file can hold, become question marks."""
    content = {"id": passage.id, "contents": passage.contents}
    return json.dumps(content, ensure_ascii=False).encode(errors="replace") + b"\n"


def from_line(line: bytes) -> Passage:
    content = json.loads(line)
    return Passage(content["id"], content["contents"])


def offsets_of(lines: list[bytes]) -> NDArray[np.int64]:
    """Where each line begins, and where the last one ends; ``[lines + 1]``."""
    return np.concatenate([[0], np.cumsum([len(line) for line in lines])]).astype(np.int64)


class PassageStore:
    """All passages, by their place in the corpus."""

    def __init__(self, shards: list[Path]) -> None:
        """``shards``: their folders, in order. Raises OSError, ValueError: one is not there, or damaged."""
        self._offsets = [np.load(shard / OFFSETS, mmap_mode="r") for shard in shards]
        self._lines = [
            _mapped(shard / PASSAGES, int(offsets[-1])) for shard, offsets in zip(shards, self._offsets, strict=True)
        ]
        self._starts = np.cumsum([0, *(len(offsets) - 1 for offsets in self._offsets)]).tolist()

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, place: int) -> Passage:
        shard = bisect_right(self._starts, place) - 1
        offsets = self._offsets[shard]
        within = place - self._starts[shard]
        return from_line(self._lines[shard][int(offsets[within]) : int(offsets[within + 1])])

    def close(self) -> None:
        """Unmap the files."""
        for lines in self._lines:
            lines.close()


def open_passages(index: Path, shards: int) -> PassageStore:
    """The passages of an index with so many shards. Raises OSError, ValueError: one is not there, or damaged."""
    return PassageStore([shard_folder(index / SHARDS, number) for number in range(shards)])


def _mapped(path: Path, size: int) -> mmap.mmap:
    with path.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size != size:
            raise ValueError(f"{path.parent.name}/{path.name} has not {size} bytes")
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
