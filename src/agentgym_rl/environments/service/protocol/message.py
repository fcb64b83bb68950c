"""The bases of all messages, and their JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict


class Request(BaseModel):
    """What a client sends: unknown fields and values of another kind are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class Answer(BaseModel):
    """What a server sends. A client skips fields that it does not know, so that servers may add some."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)


def to_json(content: Any) -> bytes:
    """JSON in ASCII: any string gets through, half a surrogate pair too, which has an escape but no UTF-8.

    Raises:
        ValueError: a number that is not finite.
        TypeError: something that JSON has no form for.
    """
    return json.dumps(content, default=_plain, allow_nan=False, separators=(",", ":")).encode("ascii")


def from_json(text: bytes) -> Any:
    """What :func:`to_json` was given. Raises ValueError, RecursionError."""
    return json.loads(text)


def _plain(part: Any) -> Any:
    """NumPy's numbers and arrays, which worlds like to put into ``info``."""
    if isinstance(part, np.generic | np.ndarray):
        return part.tolist()
    raise TypeError(f"a {type(part).__name__} has no form in JSON")
