"""Builds an index: whole or not at all, and from where it was stopped."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from agentgym_rl.environments.search.errors import CorpusError, IndexRefused
from agentgym_rl.environments.search.index.counts import read_counts, remove_counts
from agentgym_rl.environments.search.index.format import (
    BM25,
    MANIFEST,
    SHARDS,
    Manifest,
    Progress,
    manifest_text,
    read_manifest,
    shard_folder,
)
from agentgym_rl.environments.search.index.merge import merge
from agentgym_rl.environments.search.index.shards import is_done, pieces, write_shard
from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.environments.search.unfinished import unfinished
from agentgym_rl.records.atomic import PARTIAL, folder_atomic, write_atomic

_CORPUS = "corpus.txt"
"""The name of the corpus that an unfinished index is of."""


def build_index(passages: Iterable[Passage], folder: Path, *, corpus: str, progress: Progress | None = None) -> None:
    """Builds a BM25 index in ``folder``, which appears when it is whole. Until then its parts lie beside it, in
    ``FOLDER.partial``: called again with the same passages, a build that was stopped counts only those not counted yet.

    Memory: less than 600 MiB of its own for a million passages, 20 MiB for each further one; disk: three times the text's size.

    Args:
        passages: read once, in the order in which equally good hits will be listed.
        folder: must not exist, or be empty.
        corpus: its name, which results tell.
        progress: see :data:`~agentgym_rl.environments.search.index.format.Progress`.

    Raises:
        CorpusError: there is no passage. Whatever ``passages`` raises, too.
        IndexRefused: ``folder`` is in use, or holds the beginning of another corpus's index; or it can't be written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise IndexRefused(f"{folder}: {_what_lies_in(folder)}; choose another folder, or remove it first")
    partial = folder.with_name(folder.name + PARTIAL)
    with unfinished(partial, folder, "building an index"):
        _claim(partial, corpus)
        shards, sha256, count = _write_shards(passages, partial, progress)
        if not count:
            raise CorpusError(Path(corpus), "", "there is no passage in it")
        with folder_atomic(partial / BM25) as at:
            merged = merge([read_counts(shard) for shard in shards], at, progress)
        for shard in shards:
            remove_counts(shard)
        manifest = Manifest(corpus, sha256, count, len(shards), merged.terms, merged.postings)
        write_atomic(partial / MANIFEST, manifest_text(manifest))
        (partial / _CORPUS).unlink()


def _claim(partial: Path, corpus: str) -> None:
    name = partial / _CORPUS
    if name.exists() and name.read_text(encoding="utf-8") != corpus:
        begun = name.read_text(encoding="utf-8")
        raise IndexRefused(
            f"{partial}: an unfinished index of corpus {begun!r}, not {corpus!r}; remove it, or choose another"
        )
    write_atomic(name, corpus)


def _what_lies_in(folder: Path) -> str:
    try:
        return f"there is an index already, of {read_manifest(folder).identity}"
    except IndexRefused:
        return "there is something else already"


def _write_shards(passages: Iterable[Passage], partial: Path, progress: Progress | None) -> tuple[list[Path], str, int]:
    """Folders in order, SHA-256 and number of the passages."""
    shards: list[Path] = []
    digest = hashlib.sha256()
    count = 0
    for piece in pieces(passages):
        shards.append(shard_folder(partial / SHARDS, piece.number))
        sha256 = piece.sha256
        if not is_done(shards[-1], sha256):
            write_shard(shards[-1], piece, sha256)
        digest.update(sha256.encode())
        count += len(piece.lines)
        if progress:
            progress("reading", count)
    for other in set((partial / SHARDS).glob("*")) - set(shards):  # of a longer corpus that was begun before
        shutil.rmtree(other)
    return shards, digest.hexdigest(), count
