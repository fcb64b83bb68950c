"""Adds embeddings to an index, and goes on where it was stopped."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from agentgym_rl.environments.search.dense.format import (
    MANIFEST,
    VECTORS,
    DenseManifest,
    read_dense_manifest,
    read_manifest_file,
    write_dense_manifest,
)
from agentgym_rl.environments.search.dense.model import EmbeddingModel
from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index.format import DENSE, Progress, read_manifest
from agentgym_rl.environments.search.index.passages import PassageStore, open_passages
from agentgym_rl.environments.search.unfinished import unfinished
from agentgym_rl.records.atomic import PARTIAL

PIECE = 1024
"""Passages that are embedded together, and lost when it is stopped."""


def embed_index(folder: Path, model: EmbeddingModel, progress: Progress | None = None) -> DenseManifest:
    """Embeds all passages. Memory: what the model needs; disk: 4 bytes a number.

    Raises:
        IndexRefused: no index lies there, it has embeddings of another model already, is in use, or can't be written.
    """
    of = read_manifest(folder)
    if (folder / DENSE / MANIFEST).exists():
        there = read_dense_manifest(folder, of)
        if there.model_sha256 != model.sha256:
            raise IndexRefused(f"{folder / DENSE}: embeddings of {there.model} already, not {model.name}; remove them first")
        return there
    partial = folder / (DENSE + PARTIAL)
    numbers = len(model.queries([""])[0])
    manifest = DenseManifest(model.name, model.sha256, numbers, of.corpus, of.sha256, of.passages)
    with unfinished(partial, folder / DENSE, "embedding"):
        _claim(partial, manifest)
        with closing(open_passages(folder, of.shards)) as passages:
            _append(passages, partial / VECTORS, model, numbers, progress)
    return manifest


def _claim(partial: Path, manifest: DenseManifest) -> None:
    path = partial / MANIFEST
    if path.exists() and read_manifest_file(path) != manifest:
        raise IndexRefused(f"{partial}: unfinished embeddings of another model or corpus; remove it first")
    write_dense_manifest(partial, manifest)


def _append(passages: PassageStore, path: Path, model: EmbeddingModel, numbers: int, progress: Progress | None) -> None:
    with path.open("ab") as stream:
        done = stream.tell() // (4 * numbers)
        stream.truncate(4 * numbers * done)
        while done < len(passages):
            texts = [passages[place].contents for place in range(done, min(done + PIECE, len(passages)))]
            stream.write(model.passages(texts).tobytes())
            stream.flush()
            os.fsync(stream.fileno())
            done += len(texts)
            if progress:
                progress("embedding", done)
