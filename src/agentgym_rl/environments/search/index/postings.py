"""The files of an index's scores. bm25s can open them, too: the layout and the names are its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agentgym_rl.environments.search.scoring import Postings

SCORES = "data.csc.index.npy"
PASSAGES = "indices.csc.index.npy"
POINTERS = "indptr.csc.index.npy"
PARAMETERS = "params.index.json"
MOST = "most.npy"


def open_postings(folder: Path, count: int) -> Postings:
    """Maps the files into memory; ``count`` is the number of passages."""
    scores, passages, pointers, most = (np.load(folder / name, mmap_mode="r") for name in (SCORES, PASSAGES, POINTERS, MOST))
    return Postings(scores, passages, pointers, most, count)
