"""What lies in an index's folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index.analyzer import ANALYZER

VERSION = 1
"""Of the format. An index of another one is refused."""

MANIFEST = "index.json"
SHARDS = "shards"
"""A folder a shard: its passages and where each begins."""
PASSAGES = "passages.jsonl"
OFFSETS = "offsets.npy"
BM25 = "bm25"
"""The scores in the layout of bm25s, and the terms they belong to."""
DENSE = "dense"
"""Embeddings; there only when they were asked for."""

Progress = Callable[[str, int], None]
"""Told after every step: what is being done, and how many passages are done."""

_KIND = "agentgym-rl search index"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The first file to read and the last to be written."""

    corpus: str
    """The corpus's name."""
    sha256: str
    """Of its passages: of the SHA-256 of the lines that each shard stores."""
    passages: int
    shards: int
    terms: int
    """Different terms."""
    postings: int
    """Pairs of a term and a passage that contains it."""
    version: int = VERSION
    analyzer: str = ANALYZER
    kind: str = _KIND

    @property
    def identity(self) -> str:
        """``factbook-2025 sha256:0123456789ab, 10767 passages``."""
        return f"{self.corpus} sha256:{self.sha256[:12]}, {self.passages} passages"


def shard_folder(shards: Path, number: int) -> Path:
    """Where a shard lies."""
    return shards / f"{number:05d}"


def manifest_text(manifest: Manifest) -> str:
    """As the file has it."""
    return json.dumps(asdict(manifest), indent=2, ensure_ascii=False) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Raises IndexRefused: no index lies there, or one of another version."""
    path = folder / MANIFEST
    try:
        content: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise IndexRefused(
            f"{folder}: no index there; make one with: agentgym-rl search build CORPUS --out {folder}"
        ) from None
    except (OSError, ValueError) as error:
        raise IndexRefused(f"{path}: can't be read: {error}; build the index again") from error
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise IndexRefused(f"{path}: not the description of a search index of this program")
    for name, ours in (("version", VERSION), ("analyzer", ANALYZER)):
        if content.get(name) != ours:
            found = content.get(name)
            raise IndexRefused(f"{folder}: index with {name} {found}, but this program reads {name} {ours}; build it again")
    try:
        return Manifest(**content)
    except TypeError as error:
        raise IndexRefused(f"{path}: damaged: {error}; build the index again") from error
