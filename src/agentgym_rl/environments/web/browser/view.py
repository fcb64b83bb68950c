"""What is seen of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentgym_rl.environments.protocol import Image


@dataclass(frozen=True, slots=True)
class Element:
    """One numbered line of a view."""

    id: int
    """Counted from 1 in document order; the number in ``click [12]``."""
    role: str
    """Of the accessibility tree: ``button``, ``link``, ``StaticText`` …"""
    name: str
    depth: int
    properties: Mapping[str, Any] = field(default_factory=dict)
    """``checked``, ``disabled``, ``value`` … as shown."""
    tag: str = ""
    """The HTML element's name in lower case; empty for text."""
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, top, width, height in CSS pixels of the viewport."""
    editable: bool = False
    """Whether text can be typed into it."""
    clickable: bool = False
    """Whether it is a control, a link, or made to look clickable."""
    dom_id: str = ""
    """The HTML ``id``. Not shown; for oracles and tests."""


@dataclass(frozen=True, slots=True)
class View:
    """A page at one moment."""

    text: str
    """The observation: the line of tabs, notes, and a line an element, in WebArena's form."""
    url: str
    title: str
    elements: tuple[Element, ...]
    image: Image | None = None
    """uint8 ``[height, width, 3]`` where ``settings.image``."""
    left_out: int = 0
    """How many elements the token budget cut."""

    def __getitem__(self, id: int) -> Element:
        """The element of that number. Raises: KeyError."""
        if not 1 <= id <= len(self.elements):
            raise KeyError(id)
        return self.elements[id - 1]
