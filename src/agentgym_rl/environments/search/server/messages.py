"""What a client sends."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Query(BaseModel):
    """Other fields, which some clients send, are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, use_attribute_docstrings=True)

    queries: list[str]
    topk: int | None = None
    """Hits a query; the server's default where it is null or 0."""
    return_scores: bool = False
    """``{"document": …, "score": …}`` instead of the document alone."""
