"""What ``page.js`` returned, as elements and as text in WebArena's form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentgym_rl.environments.web.browser.view import Element

CHARACTERS_A_TOKEN = 3.5
"""Of accessibility trees, about. Budgets are meant for sizes, and are the same with every tokenizer."""


def elements_of(rows: Iterable[Sequence[Any]]) -> tuple[Element, ...]:
    """The elements in document order, numbered from 1."""
    return tuple(
        Element(
            id=number,
            depth=depth,
            role=role,
            name=name,
            properties=properties or {},
            tag=tag,
            box=(left, top, width, height),
            editable=bool(flags & 1),
            clickable=bool(flags & 2),
            dom_id=dom_id,
        )
        for number, (depth, role, name, properties, tag, left, top, width, height, flags, dom_id) in enumerate(rows, 1)
    )


def line_of(element: Element) -> str:
    """``[12] button 'Add to Cart' disabled: True``."""
    parts = [f"[{element.id}] {element.role} {_quoted(element.name)}", *_properties(element.properties)]
    return "\t" * element.depth + " ".join(parts)


def text_of(elements: Sequence[Element], tokens: int | None, used: int = 0) -> tuple[str, int]:
    """A line an element, and how many the budget left out.

    Args:
        tokens: the budget; None: no limit.
        used: characters that other parts of the observation take of it.
    """
    lines = [line_of(element) for element in elements]
    if tokens is None:
        return "\n".join(lines), 0
    room = tokens * CHARACTERS_A_TOKEN - used
    if sum(map(len, lines)) + len(lines) <= room:
        return "\n".join(lines), 0
    room -= 60  # of the line about the cut
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    left_out = len(lines) - len(kept)
    return "\n".join([*kept, f"… {left_out} of {len(lines)} elements left out: scroll to see them"]), left_out


def _quoted(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _properties(properties: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {_quoted(value) if name == 'value' else value}" for name, value in properties.items()]
