"""Builds an index: whole or not at all, and from where it was stopped."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from agentgym_rl.environments.search.errors import CorpusError, IndexRefused
from agentgym_rl.environments.search.index.counts import read_counts, remove_counts
from agentgym_rl.environments.search.index.format import BM25, MANIFEST, SHARDS, Manifest, is_index, manifest_text
from agentgym_rl.environments.search.index.merge import merge
from agentgym_rl.environments.search.index.shards import is_done, pieces, shard_folder, write_shard
from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.records.atomic import PARTIAL, folder_atomic, write_atomic

Progress = Callable[[str, int], None]
"""Told after every step: what is being done, and how many passages are done."""


def build_index(passages: Iterable[Passage], folder: Path, *, corpus: str, progress: Progress | None = None) -> None:
    """Builds a BM25 index; ``corpus`` is its name."""
    if is_index(folder):
        raise IndexRefused(f"{folder}: there is an index already; choose another folder, or remove it first")
    partial = folder.with_name(folder.name + PARTIAL)
    shards = partial / SHARDS
    shards.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    done = number = 0
    for piece in pieces(passages):
        for line in piece.lines:
            digest.update(line)
        sha256 = piece.sha256
        at = shard_folder(shards, piece.number)
        if not is_done(at, sha256):
            write_shard(at, piece, sha256)
        done += len(piece.lines)
        number = piece.number + 1
        if progress:
            progress("reading", done)
    if not done:
        raise CorpusError(Path(corpus), "", "no passage in it")
    all_shards = [shard_folder(shards, n) for n in range(number)]
    with folder_atomic(partial / BM25) as at:
        merged = merge([read_counts(shard) for shard in all_shards], at)
    manifest = Manifest(corpus, digest.hexdigest(), done, number, merged.terms, merged.postings)
    for shard in shards.iterdir():
        if shard in all_shards:
            remove_counts(shard)
        else:
            shutil.rmtree(shard)
    write_atomic(partial / MANIFEST, manifest_text(manifest))
    partial.rename(folder)
