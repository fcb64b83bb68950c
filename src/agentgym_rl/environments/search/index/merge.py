"""From the shards' counts to the scores of the whole corpus, a range of terms at a time."""

from __future__ import annotations

import heapq
import json
import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.index.counts import Counts
from agentgym_rl.environments.search.index.format import Progress
from agentgym_rl.environments.search.index.postings import MOST, PARAMETERS, PASSAGES, POINTERS, SCORES
from agentgym_rl.environments.search.index.vocabulary import write_terms

K1, B = 1.5, 0.75
"""BM25's parameters, in Lucene's variant: bm25s's defaults."""
RANGE_POSTINGS = 1 << 22
"""So many are in memory together, at about 50 bytes each; or those of one term, when it alone has more."""


@dataclass(frozen=True, slots=True)
class Merged:
    """How much was written."""

    terms: int
    postings: int


def merge(shards: Sequence[Counts], folder: Path, progress: Progress | None = None) -> Merged:
    """Writes the scores and terms. ``shards`` in the order of the corpus; ``progress`` is told as if passages were done."""
    numbers = [array("i") for _ in shards]
    write_terms(folder, _merge_terms(shards, numbers))
    local = [np.frombuffer(of_shard, np.int32) if of_shard else np.empty(0, np.int32) for of_shard in numbers]
    terms = 1 + max((int(of_shard[-1]) for of_shard in local if len(of_shard)), default=-1)
    frequencies = np.zeros(terms, np.int64)
    for counts, of_shard in zip(shards, local, strict=True):
        frequencies[of_shard] += np.diff(counts.pointers)
    pointers = np.concatenate([[0], np.cumsum(frequencies)]).astype(np.int64)
    np.save(folder / POINTERS, pointers)
    count = sum(len(counts.lengths) for counts in shards)
    rarity = np.array([math.log(1 + (count - found + 0.5) / (found + 0.5)) for found in frequencies], np.float32)
    most: list[NDArray[np.float32]] = [np.empty(0, np.float32)]
    with (
        _array_file(folder / SCORES, np.float32, pointers[-1]) as scores_file,
        _array_file(folder / PASSAGES, np.int32, pointers[-1]) as passages_file,
    ):
        for terms_here, scores, passages in _ranges(shards, local, pointers, rarity):
            scores_file.write(scores.data)
            passages_file.write(passages.data)
            most.append(np.maximum.reduceat(scores, pointers[terms_here] - pointers[terms_here.start]))
            if progress:
                progress("scoring", count * int(pointers[terms_here.stop]) // int(pointers[-1]))
    np.save(folder / MOST, np.concatenate(most))
    (folder / PARAMETERS).write_text(json.dumps(_parameters(count), indent=2))
    return Merged(terms, int(pointers[-1]))


def _merge_terms(shards: Sequence[Counts], numbers: list[Any]) -> Iterator[bytes]:
    """The terms of all shards, sorted; fills in the number that each shard's terms have among them."""
    last, number = None, -1
    for term, shard in heapq.merge(*(zip(counts.terms(), repeat(place)) for place, counts in enumerate(shards))):
        if term != last:
            yield term
            last, number = term, number + 1
        numbers[shard].append(number)


def _ranges(
    shards: Sequence[Counts], local: list[NDArray[np.int32]], pointers: NDArray[np.int64], rarity: NDArray[np.float32]
) -> Iterator[tuple[slice, NDArray[np.float32], NDArray[np.int32]]]:
    """Successive ranges of terms, with their scores and passages."""
    lengths = [np.asarray(counts.lengths) for counts in shards]
    starts = np.cumsum([0, *map(len, lengths)])
    mean = sum(int(of_shard.sum()) for of_shard in lengths) / starts[-1] or 1.0
    norms = [(K1 * (1 - B + B * of_shard / mean)).astype(np.float32) for of_shard in lengths]
    first = 0
    while first < len(rarity):
        stop = max(first + 1, int(np.searchsorted(pointers, pointers[first] + RANGE_POSTINGS, "right")) - 1)
        scores = np.empty(pointers[stop] - pointers[first], np.float32)
        passages = np.empty(len(scores), np.int32)
        filled = pointers[first:stop] - pointers[first]
        for counts, of_shard, norm, start in zip(shards, local, norms, starts[:-1], strict=True):
            low, high = np.searchsorted(of_shard, [first, stop])
            each = np.diff(counts.pointers[low : high + 1])
            here = slice(counts.pointers[low], counts.pointers[high])
            term = of_shard[low:high] - first
            place = np.repeat(filled[term] - (np.cumsum(each) - each), each) + np.arange(here.stop - here.start)
            filled[term] += each
            found, times = counts.passages[here], counts.times[here].astype(np.float32)
            scores[place] = np.repeat(rarity[of_shard[low:high]], each) * (times / (norm[found] + times))
            passages[place] = found + np.int32(start)
        yield slice(first, stop), scores, passages
        first = stop


def _array_file(path: Path, kind: Any, length: int) -> Any:
    """An open file with the head of a NumPy array, to be followed by its numbers."""
    stream = path.open("wb")
    head = {"descr": np.lib.format.dtype_to_descr(np.dtype(kind)), "fortran_order": False, "shape": (int(length),)}
    np.lib.format.write_array_header_1_0(stream, head)
    return stream


def _parameters(count: int) -> dict[str, Any]:
    """What bm25s wants to know."""
    return {
        "k1": K1,
        "b": B,
        "delta": 0.5,
        "method": "lucene",
        "idf_method": "lucene",
        "dtype": "float32",
        "int_dtype": "int32",
        "num_docs": count,
        "version": "",
        "backend": "numba",
    }
