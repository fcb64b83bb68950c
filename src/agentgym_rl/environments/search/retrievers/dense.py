"""Exact search over an index's embeddings, by FAISS."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym_rl.environments.search.dense.format import open_vectors, read_dense_manifest
from agentgym_rl.environments.search.dense.model import EmbeddingModel
from agentgym_rl.environments.search.errors import IndexRefused
from agentgym_rl.environments.search.extras import optional
from agentgym_rl.environments.search.index.format import Manifest
from agentgym_rl.environments.search.index.passages import open_passages
from agentgym_rl.environments.search.retrieval import Hit

LONGEST_QUERY = 1 << 14
"""Characters; the model looks at the first few hundred words at most."""


class DenseRetriever:
    """A :class:`~agentgym_rl.environments.search.retrieval.Retriever`. The vectors are mapped into memory as they lie on disk.

    Every query finds something, the empty one excepted. Scores depend in their last digits on the queries that are asked
    together: passages that are nearly as good may change places.
    """

    def __init__(self, folder: Path, manifest: Manifest, model: str | None = None) -> None:
        """``model``: where the index's model lies, if not where it was when the passages were embedded.

        Raises:
            IndexRefused: no embeddings, those of another corpus, or no or another model.
            MissingExtra: a package is not installed.
        """
        dense = read_dense_manifest(folder, manifest)
        self._faiss: Any = optional("faiss", "faiss-cpu", "dense")
        self._vectors = open_vectors(folder, dense)
        self._model = EmbeddingModel(model or dense.model)
        if self._model.sha256 != dense.model_sha256:
            raise IndexRefused(f"{folder}: embeddings of another model than {self._model.name}: of {dense.model}")
        self._identity = f"dense {Path(dense.model).name} {manifest.identity}"
        self._store = open_passages(folder, manifest.shards)

    @property
    def identity(self) -> str:
        return self._identity

    def retrieve(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        k = min(k, len(self._store))
        asked = [place for place, query in enumerate(queries) if query.strip()]
        answers: list[list[Hit]] = [[] for _ in queries]
        if asked and k > 0:
            vectors = self._model.queries([queries[place][:LONGEST_QUERY] for place in asked])
            scores, places = self._faiss.knn(vectors, self._vectors, k, metric=self._faiss.METRIC_INNER_PRODUCT)
            for place, row in zip(asked, range(len(asked)), strict=True):
                answers[place] = self._hits(scores[row], places[row])
        return answers

    def close(self) -> None:
        self._store.close()

    def _hits(self, scores: NDArray[np.float32], places: NDArray[np.int64]) -> list[Hit]:
        order = np.lexsort((places, -scores))
        return [Hit(self._store[int(places[one])], float(scores[one])) for one in order]
