"""What is wrong with a corpus or an index, in words for whoever brought it."""

from __future__ import annotations

from pathlib import Path


class CorpusError(ValueError):
    """A corpus can't be read. The message names the file, the line (or row) and the reason."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        """``place``: ``line 3``, ``row 17``; empty where the file as a whole is meant."""
        super().__init__(f"{path}, {place}: {reason}" if place else f"{path}: {reason}")


class IndexRefused(RuntimeError):
    """A folder is no index that can be used: missing, of another version or another corpus, damaged, being built."""
