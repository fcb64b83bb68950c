"""The admissible actions on a page: its elements with the verbs that apply, texts from the objective, answers from the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentgym_rl.environments.web.browser import View

_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)'([^']+)'(?!\w)")
_NAMES = re.compile(r"[A-Z0-9][\w.,$/-]*(?: (?:of |the |de )?[A-Z0-9][\w.,$/-]*)*")
_WORDS = re.compile(r"\w[\w'-]{3,}")
_MOST_TEXTS = 16
_MOST_ANSWERS = 60
_LONGEST_ANSWER = 80


def offers(intent: str, view: View, tabs: int, current: int, refusals: tuple[str, ...]) -> list[str]:
    """Action strings without doubles, never empty.

    Args:
        intent: the objective, of which texts are taken.
        view: the page, as last observed.
        tabs: how many there are.
        current: the one that is shown.
        refusals: what may be answered where the objective can't be reached.
    """
    return list(dict.fromkeys([*_on_elements(intent, view), *_elsewhere(tabs, current), *_answers(view, refusals)]))


def texts_of(intent: str) -> list[str]:
    """What may be typed: what the objective quotes, its names and numbers, its longer words, in this order."""
    found = ["".join(parts) for parts in _QUOTED.findall(intent)] + _NAMES.findall(intent) + _WORDS.findall(intent)
    plain = (text.strip(" .,") for text in found)
    return list(dict.fromkeys(text for text in plain if (len(text) > 1 or text.isdigit()) and not set(text) & set("[]")))[
        :_MOST_TEXTS
    ]


def _on_elements(intent: str, view: View) -> Iterator[str]:
    texts = texts_of(intent)
    for element in view.elements[1:]:
        if element.properties.get("disabled"):
            continue
        if element.clickable:
            yield f"click [{element.id}]"
        if element.editable:
            enter = 0 if element.tag == "textarea" else 1
            yield from (f"type [{element.id}] [{text}] [{enter}]" for text in texts)


def _elsewhere(tabs: int, current: int) -> Iterator[str]:
    yield from ("scroll [down]", "scroll [up]", "go_back")
    yield from (f"tab_focus [{tab}]" for tab in range(tabs) if tab != current)


def _answers(view: View, refusals: tuple[str, ...]) -> Iterator[str]:
    yield "stop []"
    yield from (f"stop [{refusal}]" for refusal in refusals)
    names = dict.fromkeys(element.name for element in view.elements[1:])
    short = [name for name in names if 0 < len(name) <= _LONGEST_ANSWER and "\n" not in name and not set(name) & set("[]")]
    yield from (f"stop [{name}]" for name in short[:_MOST_ANSWERS])
