"""How an index is searched."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The retrievers over an index."""

    BM25 = "bm25"
    DENSE = "dense"
    HYBRID = "hybrid"
