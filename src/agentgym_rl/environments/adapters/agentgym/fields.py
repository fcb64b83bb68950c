"""Reads fields of answers; what is not there or of another kind is a fault."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from agentgym_rl.environments.errors import EnvironmentFault


def text(answer: Any, name: str) -> str:
    """The string of that name. Raises EnvironmentFault."""
    found = _field(answer, name)
    if not isinstance(found, str):
        raise _wrong(answer, f"no text {name!r}")
    return found


def number(answer: Any, name: str) -> float:
    """The number of that name. Raises EnvironmentFault."""
    found = _field(answer, name)
    if not isinstance(found, (int, float)) or not math.isfinite(found):
        raise _wrong(answer, f"no number {name!r}")
    return float(found)


def flag(answer: Any, name: str) -> bool:
    """The boolean of that name. Raises EnvironmentFault."""
    found = _field(answer, name)
    if not isinstance(found, (bool, int)):
        raise _wrong(answer, f"no boolean {name!r}")
    return bool(found)


def texts(answer: Any, name: str) -> list[str]:
    """The list of strings of that name. Raises EnvironmentFault."""
    found = _field(answer, name)
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        raise _wrong(answer, f"no list of texts {name!r}")
    return list(found)


def created(answer: Any) -> int:
    """The number of a new environment, as all kinds of servers write it: alone, or as ``id`` or ``env_idx``."""
    found = answer
    if isinstance(answer, Mapping):
        found = answer.get("id", answer.get("env_idx"))
    if not isinstance(found, int) or isinstance(found, bool):
        raise _wrong(answer, "no number of an environment")
    return found


def whole_text(answer: Any) -> str:
    """The answer, which is a string. Raises EnvironmentFault."""
    if not isinstance(answer, str):
        raise _wrong(answer, "no text")
    return answer


def _field(answer: Any, name: str) -> Any:
    if not isinstance(answer, Mapping):
        raise _wrong(answer, f"no {name!r}")
    return answer.get(name)


def _wrong(answer: Any, lacks: str) -> EnvironmentFault:
    return EnvironmentFault(f"the server's answer has {lacks}: {str(answer)[:200]}")
