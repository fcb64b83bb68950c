"""What is wrong with a question file, in words for whoever brought it."""

from __future__ import annotations

from pathlib import Path


class QuestionFileError(ValueError):
    """Questions can't be read: the file, the line or row, the reason."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        """``place``: ``line 3``, ``row 17``; empty where the file as a whole is meant."""
        super().__init__(f"{path}, {place}: {reason}" if place else f"{path}: {reason}")


class BadRow(ValueError):
    """The reason why a row is no question; whoever reads the file adds file and place."""
