"""From a row of a file to a passage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.search.retrieval import Passage


@dataclass(frozen=True, slots=True)
class Bad:
    """A row that is no passage."""

    place: str
    """``line 3``, ``row 17``, ``page 5``."""
    reason: str


def from_row(row: Any, place: str) -> Passage | Bad:
    """Reads ``id`` and ``contents``, or ``id``, ``title`` and ``text``. Other fields are not looked at."""
    if not isinstance(row, Mapping):
        return Bad(place, f"{_kind(row)}, not an object with id and contents")
    id = row.get("id")
    if isinstance(id, bool) or not isinstance(id, str | int) or id == "":
        return Bad(place, 'no "id"' if id in (None, "") else f'"id" is {_kind(id)}, not a string or a whole number')
    contents = row.get("contents")
    if contents is None:
        title, text = row.get("title"), row.get("text")
        if not isinstance(title, str) or not isinstance(text, str):
            return Bad(place, 'no "contents", nor "title" and "text"')
        contents = f"{title}\n{text}"
    if not isinstance(contents, str):
        return Bad(place, f'"contents" is {_kind(contents)}, not a string')
    if not contents.strip():
        return Bad(place, '"contents" is empty')
    return Passage(str(id), contents)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number", bool: "true or false"}
    return names.get(type(value), "null" if value is None else f"a {type(value).__name__}")
