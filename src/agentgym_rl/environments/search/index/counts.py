"""How often each term occurs in each passage of a shard: what scores are made from once the whole corpus is known."""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.index.analyzer import terms_of_word, words
from agentgym_rl.environments.search.index.passages import from_line
from agentgym_rl.environments.search.index.vocabulary import TERM_OFFSETS, TERMS, write_terms

COUNTS = "counts"


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one shard; mapped into memory. Its passages and terms are numbered from 0."""

    folder: Path
    pointers: NDArray[np.int64]
    """[terms + 1]: the postings of term ``t`` are ``pointers[t]:pointers[t + 1]``."""
    passages: NDArray[np.int32]
    """[postings], ascending within a term."""
    times: NDArray[np.int32]
    """[postings]"""
    lengths: NDArray[np.int32]
    """[passages]: terms, repetitions included."""

    def terms(self) -> Iterator[bytes]:
        """In their order."""
        with (self.folder / TERMS).open("rb") as stream:
            for line in stream:
                yield line[:-1]


_ARRAYS = ("pointers", "passages", "times", "lengths")


def are_there(shard: Path) -> bool:
    return all((shard / COUNTS / name).is_file() for name in [*(f"{name}.npy" for name in _ARRAYS), TERMS, TERM_OFFSETS])


def read_counts(shard: Path) -> Counts:
    folder = shard / COUNTS
    return Counts(folder, *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))


def remove_counts(shard: Path) -> None:
    """They are needed no more once the index is made."""
    shutil.rmtree(shard / COUNTS)


def write_counts(shard: Path, lines: list[bytes]) -> None:
    """Counts the terms of a shard's passages."""
    occurrences, lengths, names = _read(lines)
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    passages = np.repeat(np.arange(len(lines)), lengths)
    keys, times = np.unique(rank[occurrences] * len(lines) + passages, return_counts=True)
    of_term, of_passage = np.divmod(keys, len(lines))
    folder = shard / COUNTS
    folder.mkdir()
    np.save(folder / "pointers.npy", np.searchsorted(of_term, np.arange(len(names) + 1)))
    np.save(folder / "passages.npy", of_passage.astype(np.int32))
    np.save(folder / "times.npy", times.astype(np.int32))
    np.save(folder / "lengths.npy", lengths)
    write_terms(folder, (names[place] for place in order))


def _read(lines: list[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], list[bytes]]:
    """The terms of all passages, one after another, as numbers; how many each passage has; their names."""
    numbers = _WordNumbers()
    found, lengths = array("i"), array("i")
    for line in lines:
        before = len(found)
        for number in map(numbers.__getitem__, words(from_line(line).contents)):
            if isinstance(number, int):
                found.append(number)
            else:
                found.extend(number)
        lengths.append(len(found) - before)
    return np.frombuffer(found, np.int32), np.frombuffer(lengths, np.int32), numbers.names


class _WordNumbers(dict[str, "int | tuple[int, ...]"]):
    """Word → number of its term; several or none for words that are not exactly one. Each word is looked at once."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}

    @property
    def names(self) -> list[bytes]:
        return [term.encode() for term in self._terms]

    def __missing__(self, word: str) -> int | tuple[int, ...]:
        numbers = tuple(self._terms.setdefault(term, len(self._terms)) for term in terms_of_word(word))
        self[word] = found = numbers[0] if len(numbers) == 1 else numbers
        return found
