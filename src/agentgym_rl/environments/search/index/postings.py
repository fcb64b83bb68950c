"""The files of an index's scores. bm25s can open them, too: the layout and the names are its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agentgym_rl.environments.search.index.format import MANIFEST, Manifest
from agentgym_rl.environments.search.scoring import Postings

SCORES = "data.csc.index.npy"
PASSAGES = "indices.csc.index.npy"
POINTERS = "indptr.csc.index.npy"
PARAMETERS = "params.index.json"
MOST = "most.npy"


def open_postings(folder: Path, manifest: Manifest) -> Postings:
    """Maps the files into memory. Raises OSError, ValueError: they are not there, or not those the manifest is of."""
    scores, passages, pointers, most = (np.load(folder / name, mmap_mode="r") for name in (SCORES, PASSAGES, POINTERS, MOST))
    sizes = [len(scores), len(passages), len(pointers) - 1, len(most)]
    if sizes != [manifest.postings] * 2 + [manifest.terms] * 2 or pointers[-1] != manifest.postings:
        raise ValueError(f"{folder.name} has not the size that {MANIFEST} says")
    return Postings(scores, passages, pointers, most, manifest.passages)
