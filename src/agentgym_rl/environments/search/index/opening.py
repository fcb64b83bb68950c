"""Opens an index."""

from __future__ import annotations

from pathlib import Path

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index.format import read_manifest
from agentgym_rl.environments.search.retrieval import Retriever


def open_index(folder: Path) -> Retriever:
    """A BM25 retriever over an index. Its files are mapped into memory: opening is quick, and processes share the pages.

    Raises:
        IndexRefused: no index lies there, one of another version, or a damaged one.
    """
    from agentgym_rl.environments.search.retrievers.bm25 import Bm25Retriever

    manifest = read_manifest(folder)
    try:
        return Bm25Retriever(folder, manifest)
    except (OSError, ValueError, EOFError) as error:
        raise IndexRefused(f"{folder}: damaged index of {manifest.corpus}: {error}; build it again") from error
