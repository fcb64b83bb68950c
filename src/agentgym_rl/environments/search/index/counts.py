"""How often each term occurs in each passage of a shard: what scores are made from once the whole corpus is known."""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterator, Sequence
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
    """Whether a shard has its counts, whole."""
    return all((shard / COUNTS / name).is_file() for name in [*(f"{name}.npy" for name in _ARRAYS), TERMS, TERM_OFFSETS])


def read_counts(shard: Path) -> Counts:
    """The counts of a shard."""
    folder = shard / COUNTS
    return Counts(folder, *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))


def remove_counts(shard: Path) -> None:
    """They are needed no more once the index is made."""
    shutil.rmtree(shard / COUNTS)


def write_counts(shard: Path, lines: Sequence[bytes]) -> None:
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


def _read(lines: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], list[bytes]]:
    """The terms of all passages, one after another, as numbers; how many each passage has; their names."""
    numbers = _WordNumbers()
    found, ends = array("i"), array("q", [0])
    for line in lines:
        found.extend(map(numbers.__getitem__, words(from_line(line).contents)))
        ends.append(len(found))
    of_words = np.frombuffer(found, np.int32) if found else np.empty(0, np.int32)
    terms, sizes = numbers.expanded(of_words)
    term_ends = np.concatenate([[0], np.cumsum(sizes)])[np.frombuffer(ends, np.int64)]
    return terms, np.diff(term_ends).astype(np.int32), numbers.names


class _WordNumbers(dict[str, int]):
    """Word → number of its term; below zero for a word that is not exactly one term. Each word is looked at once."""

    def __init__(self) -> None:
        self._terms: dict[str, int] = {}
        self._several: list[tuple[int, ...]] = [()]
        """What -1, -2 … stand for; the first is a stop word."""

    @property
    def names(self) -> list[bytes]:
        """Of the terms, by number."""
        return [term.encode() for term in self._terms]

    def __missing__(self, word: str) -> int:
        terms = tuple(self._terms.setdefault(term, len(self._terms)) for term in terms_of_word(word))
        if len(terms) == 1:
            found = terms[0]
        elif not terms:
            found = -1
        else:
            self._several.append(terms)
            found = -len(self._several)
        self[word] = found
        return found

    def expanded(self, of_words: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """From words to terms, and how many each word is."""
        how_many = np.array([len(terms) for terms in self._several], np.int64)
        single = of_words >= 0
        sizes = np.where(single, 1, how_many[np.where(single, 0, -1 - of_words)])
        starts = np.cumsum(sizes) - sizes
        terms = np.empty(int(sizes.sum()), np.int32)
        terms[starts[single]] = of_words[single]
        for place in np.flatnonzero(sizes > 1):
            terms[starts[place] : starts[place] + sizes[place]] = self._several[-1 - of_words[place]]
        return terms, sizes
