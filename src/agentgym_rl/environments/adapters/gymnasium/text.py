"""Observations of a Gymnasium environment as text."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Tuple

MOST_NUMBERS = 1000
"""An observation with more of them is a picture, or nothing to read."""
FIELDS = ("text", "observation", "actions", "render")
"""What a template may name."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def text_of(value: Any, labels: tuple[str, ...] = ()) -> str:
    """Any observation: arrays as numbers, row by row; dictionaries and tuples part by part.

    ``labels`` name the numbers of a one-dimensional array.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {text_of(part)}" for name, part in value.items())
    if isinstance(value, tuple):
        return "; ".join(text_of(part) for part in value)
    array = np.asarray(value)
    if array.ndim == 0:
        return _number(array[()])
    if array.ndim == 1:
        numbers = [_number(number) for number in array]
        return ", ".join(map(" ".join, zip(labels, numbers, strict=True)) if labels else numbers)
    return "\n".join(text_of(row) for row in array)


def numbers_of(space: gymnasium.Space[Any]) -> int:
    """How many numbers an observation of the space has."""
    if isinstance(space, Dict):
        return sum(map(numbers_of, space.spaces.values()))
    if isinstance(space, Tuple):
        return sum(map(numbers_of, space.spaces))
    return int(np.prod(space.shape)) if isinstance(space, Box) and space.shape else 1


def digest_of(value: Any) -> str:
    """A hash of an observation."""
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def plain_render(rendered: Any) -> str:
    """What ``render`` returned in the mode ``ansi``, without colours."""
    text = rendered if isinstance(rendered, str) else rendered.getvalue()
    return _COLOURS.sub("", text).strip("\n")


def fields_of(id: str, template: str) -> set[str]:
    """The fields that a template names.

    Raises:
        ValueError: one that there is not, or a template that can't be read.
    """
    try:
        names = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    except ValueError as error:
        raise ValueError(f"environment {id!r}: template={template!r}: {error}") from error
    found = {re.split(r"[.\[]", name)[0] for name in names}
    if unknown := found.difference(FIELDS):
        raise ValueError(
            f"environment {id!r}: template={template!r} has no field {sorted(unknown)[0]!r}; known: {', '.join(FIELDS)}"
        )
    return found


def _number(number: Any) -> str:
    return f"{float(number):.4g}" if isinstance(number, (float, np.floating)) else str(number)


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, Mapping):
        for name in sorted(value):
            digest.update(f"{name}:".encode())
            _feed(digest, value[name])
    elif isinstance(value, tuple):
        for part in value:
            _feed(digest, part)
            digest.update(b";")
    else:
        digest.update(value.encode(errors="replace") if isinstance(value, str) else np.asarray(value).tobytes())
