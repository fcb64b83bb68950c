"""The admissible actions: elements on the page with the verbs that apply to them, and texts offered from the goal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentgym_rl.environments.web.browser import Element, View

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')
_WORD = re.compile(r"[\w#@.:/$+-]*\w|\S")
_DATE = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_TIME = re.compile(r"\b(\d{1,2}):(\d{2}) ?([AP])M\b")
_MOST_TEXTS = 30
_SCROLLED = frozenset({"listbox", "textbox"})


def offers(page: str, goal: str, view: View) -> list[str]:
    """Action strings in the order of the page, without doubles. Never empty."""
    found: dict[str, None] = {}
    texts = texts_of(page, goal, view)
    for element in view.elements[1:]:
        if element.properties.get("disabled"):
            continue
        found[f"click [{element.id}]"] = None
        if element.properties.get("hasPopup"):  # menus of this kind open when the mouse is over them
            found[f"hover [{element.id}]"] = None
        if element.editable:
            for text in _fitting(element, texts):
                found[f"type [{element.id}] [{text}] [0]"] = None
    found.update(dict.fromkeys(keys_of(page)))
    return list(found) or ["scroll [down]"]


def texts_of(page: str, goal: str, view: View) -> list[str]:
    """Texts that may be typed: what the goal quotes, its words, and for pages that ask for something computed its range."""
    found: dict[str, None] = {}
    for quoted in _QUOTED.findall(goal):
        found["".join(quoted).strip()] = None
    found.update(dict.fromkeys(_dates(goal)))
    if page in NUMBERS:
        found.update(dict.fromkeys(str(number) for number in NUMBERS[page]))
    if page in READS:
        found.update(dict.fromkeys(_read(page, view)))
    if page == "enter-text-2":
        found.update(dict.fromkeys(case(text) for text in list(found) for case in (str.upper, str.lower)))
    words = [word for word in _WORD.findall(goal) if len(word) > 1 or word.isdigit()]
    found.update(dict.fromkeys(word.rstrip(".:/,") for word in words))
    allowed = [text for text in found if text and "[" not in text and "]" not in text]
    return allowed if page in NUMBERS or page in READS else allowed[:_MOST_TEXTS]


def keys_of(page: str) -> list[str]:
    """Keys that the page may want pressed."""
    return [f"press [{key}]" for key in KEYS.get(page, ())]


NUMBERS: dict[str, range] = {
    "simple-arithmetic": range(-20, 101),
    "simple-algebra": range(-100, 101),
    "visual-addition": range(41),
    "count-shape": range(21),
    "guess-number": range(101),
    "generate-number": range(11),
}
"""Pages that want a number that their goal does not name, and the range it is in."""
READS: frozenset[str] = frozenset(
    {"read-table", "read-table-2", "copy-paste", "copy-paste-2", "find-word", "scroll-text", "text-transform", "terminal"}
)
"""Pages on which what is typed has to be read from the page."""
WORDS: frozenset[str] = frozenset({"find-word", "scroll-text"})
"""Of these, those that ask for one word."""
_ARROWS = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
KEYS: dict[str, tuple[str, ...]] = {
    "use-slider": _ARROWS,
    "form-sequence": _ARROWS,
    "use-slider-2": _ARROWS,
    "use-spinner": _ARROWS,
    "terminal": ("Enter",),
    "use-autocomplete": ("ArrowDown", "Enter"),
    "use-autocomplete-nodelay": ("ArrowDown", "Enter"),
}
"""Keys that a page wants, beside clicks and texts."""


def _fitting(element: Element, texts: list[str]) -> list[str]:
    return [text for text in texts if text != element.properties.get("value")]


def _read(page: str, view: View) -> Iterator[str]:
    """What the page shows: names and values, and their words where a word is asked for."""
    seen = [text for one in view.elements[1:] for text in (one.name, str(one.properties.get("value", ""))) if text]
    if page in WORDS:
        yield from (word.strip(".,") for text in seen for word in text.split())
    elif page == "text-transform":
        yield "".join(element.name for element in view.elements[1:] if element.role == "StaticText")
    else:
        yield from (text for text in seen if len(text) <= 120)


def _dates(goal: str) -> list[str]:
    """Dates and times of the goal as the browser's own fields take them."""
    dates = [f"{year}-{int(month):02}-{int(day):02}" for month, day, year in _DATE.findall(goal)]
    times = [f"{int(hour) % 12 + (12 if half == 'P' else 0):02}:{minute}" for hour, minute, half in _TIME.findall(goal)]
    return dates + times
