"""WebArena's actions: ``click [12]``, ``type [3] [words] [1]``, ``stop [answer]`` …"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

Verb = Literal[
    "click", "type", "hover", "press", "scroll", "new_tab", "tab_focus", "close_tab", "goto", "go_back", "go_forward", "stop"
]

GRAMMAR = (
    "click [id]; type [id] [content] [1 to press Enter after it, else 0]; hover [id]; press [key, as Enter or Control+a]; "
    "scroll [down] or scroll [up]; new_tab; tab_focus [number]; close_tab; goto [url]; go_back; go_forward; stop [answer]"
)
"""One line for observations: what can be written."""


@dataclass(frozen=True, slots=True)
class Command:
    """One action, read."""

    verb: Verb
    element: int = 0
    """Of ``click``, ``type`` and ``hover``; the tab of ``tab_focus``."""
    text: str = ""
    """What is typed, pressed, gone to or answered; ``up`` or ``down``."""
    enter: bool = False
    """Of ``type``: press Enter afterwards."""


_LONGEST = 20_000
"""Characters. No action is longer; what is, is not read."""
_ID = r"\[\s*(\d{1,6})\s*\]"
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Command]], ...] = (
    (re.compile(rf"click\s*{_ID}"), lambda found: Command("click", int(found[1]))),
    (re.compile(rf"hover\s*{_ID}"), lambda found: Command("hover", int(found[1]))),
    (
        re.compile(rf"type\s*{_ID}\s*\[(.*?)\](?:\s*\[\s*(?:press_enter_after=)?([01])\s*\])?", re.DOTALL),
        lambda found: Command("type", int(found[1]), found[2], found[3] != "0"),
    ),
    (re.compile(r"press\s*\[\s*([^\[\]]{1,60}?)\s*\]"), lambda found: Command("press", text=found[1])),
    (
        re.compile(r"scroll\s*\[?\s*(?:direction=)?(up|down)\s*\]?"),
        lambda found: Command("scroll", text=found[1]),
    ),
    (re.compile(r"new_tab"), lambda _: Command("new_tab")),
    (re.compile(rf"(?:tab_focus|page_focus)\s*{_ID}"), lambda found: Command("tab_focus", int(found[1]))),
    (re.compile(r"close_tab"), lambda _: Command("close_tab")),
    (re.compile(r"goto\s*\[\s*(\S+?)\s*\]"), lambda found: Command("goto", text=found[1])),
    (re.compile(r"go_back"), lambda _: Command("go_back")),
    (re.compile(r"go_forward"), lambda _: Command("go_forward")),
    (re.compile(r"stop\s*(?:\[(.*)\])?", re.DOTALL), lambda found: Command("stop", text=(found[1] or "").strip())),
)


def read_command(text: str) -> Command | None:
    """The command an action string is, or None when it is none. White space around it does not matter.

    ``type`` without its last part presses Enter, as in WebArena.
    """
    if len(text) > _LONGEST:
        return None
    line = text.strip()
    for pattern, make in _READERS:
        if found := pattern.fullmatch(line):
            return make(found)
    return None


_ELEMENT = Parameter("id", "integer", "Number of the element")
ACTION_SCHEMA: ActionSchema = (
    ActionFunction("click", "Click an element.", (_ELEMENT,), "click [{id}]"),
    ActionFunction(
        "type",
        "Replace what a field holds.",
        (
            _ELEMENT,
            Parameter("content", "string", "What to type"),
            Parameter("press_enter_after", "integer", "1 to press Enter afterwards, else 0"),
        ),
        "type [{id}] [{content}] [{press_enter_after}]",
    ),
    ActionFunction("hover", "Move the mouse over an element.", (_ELEMENT,), "hover [{id}]"),
    ActionFunction(
        "press", "Press a key or a combination.", (Parameter("key", "string", "As Enter or Control+a"),), "press [{key}]"
    ),
    ActionFunction(
        "scroll",
        "Scroll the page by one viewport.",
        (Parameter("direction", "string", "Where to", enum=("down", "up")),),
        "scroll [{direction}]",
    ),
    ActionFunction("new_tab", "Open an empty tab and focus it."),
    ActionFunction("tab_focus", "Focus a tab.", (Parameter("number", "integer", "Of the tab"),), "tab_focus [{number}]"),
    ActionFunction("close_tab", "Close the tab."),
    ActionFunction("goto", "Load an address.", (Parameter("url", "string", "The address"),), "goto [{url}]"),
    ActionFunction("go_back", "Go back to the page before."),
    ActionFunction("go_forward", "Undo go_back."),
    ActionFunction(
        "stop",
        "End the episode, with the answer where one is asked for.",
        (Parameter("answer", "string", "The answer", required=False),),
        "stop [{answer}]",
    ),
)
"""All of them as functions."""
