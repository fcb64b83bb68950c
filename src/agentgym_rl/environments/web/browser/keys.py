"""Names of keys, as Playwright knows them."""

from __future__ import annotations

import re

_MODIFIERS = {"control": "Control", "ctrl": "Control", "alt": "Alt", "shift": "Shift", "meta": "Meta", "cmd": "Meta"}
_KEYS = {
    name.lower(): name
    for name in (
        *("Enter", "Escape", "Tab", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown", "Space"),
        *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "CapsLock", "ContextMenu"),
        *(f"F{number}" for number in range(1, 13)),
    )
}
_OTHER_NAMES = {
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "arrow_up": "ArrowUp",
    "arrow_down": "ArrowDown",
    "arrow_left": "ArrowLeft",
    "arrow_right": "ArrowRight",
    "page_up": "PageUp",
    "page_down": "PageDown",
    " ": "Space",
}
_ONE = re.compile(r"[!-~]")
KNOWN = ", ".join([*dict.fromkeys(_MODIFIERS.values()), *_KEYS.values()])


def named_key(combination: str) -> str:
    """``ctrl+a`` → ``Control+a``: case and other usual names of keys do not matter.

    Raises:
        ValueError: a key that is not known.
    """
    *modifiers, key = [combination] if combination == "+" else combination.split("+")
    if combination.endswith("++"):
        modifiers, key = combination[:-2].split("+"), "+"
    names = [_modifier(name) for name in modifiers]
    lower = key.strip().lower() or key
    found = _KEYS.get(lower) or _OTHER_NAMES.get(lower) or _MODIFIERS.get(lower)
    if found is None:
        if not _ONE.fullmatch(key):
            raise ValueError(key)
        found = key.lower() if names and "Shift" not in names else key
    return "+".join([*names, found])


def key_problem(combination: str) -> str | None:
    """Why a combination can't be pressed; None when it can."""
    try:
        named_key(combination)
    except ValueError as error:
        return f"There is no key {str(error)!r}. Keys: any single character, {KNOWN}; join them with +."
    return None


def _modifier(name: str) -> str:
    found = _MODIFIERS.get(name.strip().lower())
    if found is None:
        raise ValueError(name)
    return found
