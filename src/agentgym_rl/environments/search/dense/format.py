"""What lies in an index's folder ``dense``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.index.format import DENSE, Manifest

VERSION = 1
MANIFEST = "dense.json"
VECTORS = "vectors.f32"
"""[passages, numbers], float32, without a head."""


@dataclass(frozen=True, slots=True)
class DenseManifest:
    """The last file to be written."""

    model: str
    """A folder, or the name of a package."""
    model_sha256: str
    numbers: int
    """Of a vector."""
    corpus: str
    sha256: str
    """Of the passages, as the index's."""
    passages: int
    version: int = VERSION


def write_dense_manifest(folder: Path, manifest: DenseManifest) -> None:
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_manifest_file(path: Path) -> DenseManifest:
    """Raises FileNotFoundError; IndexRefused: it can't be read, or is of another version."""
    try:
        content: Any = json.loads(path.read_bytes())
        found = content["version"]
        if found == VERSION:
            return DenseManifest(**content)
    except (ValueError, TypeError, KeyError) as error:
        raise IndexRefused(f"{path}: damaged: {error}; remove {path.parent} and embed again") from error
    raise IndexRefused(
        f"{path}: embeddings of version {found}, but this program reads {VERSION}; remove {path.parent} and embed again"
    )


def read_dense_manifest(index: Path, of: Manifest) -> DenseManifest:
    """Raises IndexRefused: there are no embeddings, or those of another version or corpus."""
    path = index / DENSE / MANIFEST
    try:
        manifest = read_manifest_file(path)
    except FileNotFoundError:
        raise IndexRefused(
            f"{index}: an index without embeddings; add them with: agentgym-rl search embed {index}"
        ) from None
    if manifest.sha256 != of.sha256:
        raise IndexRefused(
            f"{path}: embeddings of {manifest.corpus} sha256:{manifest.sha256[:12]}, but the index is of {of.identity}"
        )
    return manifest


def open_vectors(index: Path, manifest: DenseManifest) -> NDArray[np.float32]:
    """[passages, numbers], mapped into memory. Raises IndexRefused: the file is not there, or has another size."""
    path = index / DENSE / VECTORS
    shape = (manifest.passages, manifest.numbers)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise IndexRefused(f"{path}: {error.strerror}; remove {path.parent} and embed again") from error
    if size != 4 * shape[0] * shape[1]:
        raise IndexRefused(
            f"{path}: damaged: {size} bytes, not {4 * shape[0] * shape[1]}; remove {path.parent} and embed again"
        )
    return np.memmap(path, np.float32, "r", shape=shape)
