"""Opens what finds passages, with what makes it quick for many: a cache, and batches where a call costs much."""

from __future__ import annotations

from pathlib import Path

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index.format import read_manifest
from agentgym_rl.environments.search.index.opening import open_index
from agentgym_rl.environments.search.kinds import Kind
from agentgym_rl.environments.search.retrieval import Retriever
from agentgym_rl.environments.search.retrievers.batched import BatchedRetriever
from agentgym_rl.environments.search.retrievers.cached import CachedRetriever
from agentgym_rl.environments.search.retrievers.hybrid import HybridRetriever

SECONDS = 30.0
"""Deadline of a call to a server, with all its attempts."""


def open_retriever(where: str, kind: Kind = Kind.BM25, *, model: str | None = None, seconds: float = SECONDS) -> Retriever:
    """Opens ``where``: the folder of an index, or ``http://HOST:PORT`` of a server of Search-R1's retrieval API.

    Args:
        where: see above.
        kind: of a folder; a server has its own.
        model: the embedding model's folder, if it has moved since the index was embedded.
        seconds: deadline of a call to a server.

    Raises:
        IndexRefused: no index lies there, one of another version, a damaged one, or one without embeddings.
        MissingExtra: a package is not installed.
        ValueError: a kind or model is given for a server.
    """
    if where.startswith(("http://", "https://")):
        if kind is not Kind.BM25 or model is not None:
            raise ValueError(f"{where}: a server has its own kind of retriever and its own model; leave them away here")
        from agentgym_rl.environments.search.retrievers.remote import RemoteRetriever

        return CachedRetriever(BatchedRetriever(RemoteRetriever(where, seconds)))
    folder = Path(where)
    if kind is Kind.BM25:
        return CachedRetriever(open_index(folder))
    dense = _open_dense(folder, model)
    found: Retriever = dense if kind is Kind.DENSE else HybridRetriever([open_index(folder), dense])
    return CachedRetriever(BatchedRetriever(found))


def _open_dense(folder: Path, model: str | None) -> Retriever:
    from agentgym_rl.environments.search.retrievers.dense import DenseRetriever

    manifest = read_manifest(folder)
    try:
        return DenseRetriever(folder, manifest, model)
    except OSError as error:
        raise IndexRefused(f"{folder}: damaged index of {manifest.corpus}: {error}; build it again") from error
