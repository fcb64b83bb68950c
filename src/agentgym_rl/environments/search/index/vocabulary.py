"""The terms of an index: sorted in a file, of which only what a look-up touches is read."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import overload

import numpy as np

TERMS = "terms.txt"
"""A term a line, sorted by its bytes."""
TERM_OFFSETS = "terms.npy"
_REMEMBERED = 1 << 16


class Vocabulary:
    """Numbers the terms by their place in the order."""

    def __init__(self, folder: Path) -> None:
        self._terms = _SortedTerms(folder)
        self.number = lru_cache(_REMEMBERED)(self._number)

    def __len__(self) -> int:
        return len(self._terms)

    def _number(self, term: str) -> int | None:
        wanted = term.encode()
        place = bisect_left(self._terms, wanted)
        return place if place < len(self._terms) and self._terms[place] == wanted else None

    def close(self) -> None:
        """Unmap the file."""
        self._terms.close()


class _SortedTerms(Sequence[bytes]):
    def __init__(self, folder: Path) -> None:
        self._offsets = np.load(folder / TERM_OFFSETS, mmap_mode="r")
        self._text: mmap.mmap | bytes = b""
        if len(self._offsets) > 1:  # an empty file can't be mapped
            with (folder / TERMS).open("rb") as stream:
                self._text = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return self._text[int(self._offsets[place]) : int(self._offsets[place + 1]) - 1]

    def close(self) -> None:
        if isinstance(self._text, mmap.mmap):
            self._text.close()


def write_terms(folder: Path, terms: Iterator[bytes]) -> None:
    """Write a vocabulary; ``terms`` are sorted and different. Memory: 8 bytes a term."""
    from array import array

    offsets = array("q", [0])
    with (folder / TERMS).open("wb") as stream:
        for term in terms:
            stream.write(term + b"\n")
            offsets.append(offsets[-1] + len(term) + 1)
    np.save(folder / TERM_OFFSETS, np.frombuffer(offsets, np.int64))
