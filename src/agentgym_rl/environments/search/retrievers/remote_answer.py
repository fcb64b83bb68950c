"""Reads what servers of Search-R1's retrieval API answer: they differ in how a hit looks."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.search.retrieval import Hit, Passage
from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE


def read_answer(address: str, status: int, text: bytes, queries: int, k: int) -> list[list[Hit]]:
    """The hits of each query; at most ``k``, in the server's order.

    A hit is a document, or ``{"document": …, "score": …}``; a document has ``contents``, or ``title`` and ``text``. Without
    a score it is one over the rank, without an id a hash of the contents.

    Raises:
        EnvironmentFault: it is not an answer to so many queries.
    """
    if status in (401, 403):
        raise EnvironmentFault(f"{address} wants a token: set {TOKEN_VARIABLE} to the one that the server was started with")
    if status != 200:
        raise EnvironmentFault(f"{address} answers with status {status}: {_brief(text)}")
    try:
        content: Any = json.loads(text)
        result: Any = content["result"]
        if len(result) != queries:
            raise ValueError(f"{len(result)} answers to {queries} queries")
        return [[_hit(one, rank) for rank, one in enumerate(hits[:k], 1)] for hits in result]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        raise EnvironmentFault(f"{address} does not answer in Search-R1's format ({why}): {_brief(text)}") from error


def _hit(content: Any, rank: int) -> Hit:
    document = content.get("document", content)
    contents = document["contents"] if "contents" in document else f"{document['title']}\n{document['text']}"
    if not isinstance(contents, str):
        raise TypeError("contents is no string")
    id = document.get("id", content.get("id"))
    return Hit(
        Passage(hashlib.sha256(contents.encode(errors="replace")).hexdigest()[:16] if id is None else str(id), contents),
        float(content.get("score", 1 / rank)),
    )


def _brief(text: bytes) -> str:
    return " ".join(text[:200].decode(errors="replace").split())
