"""Reads an action string. What can't be read is None; whether a read action succeeds is the world's affair."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Get:
    count: int
    item: str


@dataclass(frozen=True, slots=True)
class CraftCommand:
    item: str
    needs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class LookAtInventory:
    pass


Command = Get | CraftCommand | LookAtInventory

_LONGEST = 1000
"""Characters. No action is longer; what is, is not read."""
_NUMBER = r"([0-9]{1,6})"
_NAME = r"([a-z][a-z ]*)"
_GET = re.compile(rf"get {_NUMBER} {_NAME}")
_CRAFT = re.compile(rf"craft (?:[0-9]+ )?{_NAME} using (.+)")
_PART = re.compile(rf"{_NUMBER} {_NAME}")


def read_action(text: str) -> Command | None:
    """Reads ``get N item``, ``craft [N] item using N item, N item`` or ``inventory``.

    As in the original, the N of a craft says nothing: the recipe alone says how much is made.
    Case, surrounding and repeated white space and a final full stop do not matter; ``oak_log`` or ``minecraft:oak_log``
    mean ``oak log``.
    """
    if len(text) > _LONGEST:
        return None
    line = " ".join(text.lower().replace("minecraft:", "").replace("_", " ").split()).removesuffix(".")
    if line == "inventory":
        return LookAtInventory()
    if found := _GET.fullmatch(line):
        return Get(int(found[1]), found[2])
    if found := _CRAFT.fullmatch(line):
        parts = [_PART.fullmatch(part.strip()) for part in found[2].split(",")]
        needs: dict[str, int] = {}
        for part in parts:
            if part is None:
                return None
            needs[part[2]] = needs.get(part[2], 0) + int(part[1])
        return CraftCommand(found[1], tuple(needs.items()))
    return None
