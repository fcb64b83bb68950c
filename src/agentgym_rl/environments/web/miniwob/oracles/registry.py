"""What an oracle sees, and where oracles are found by the name of their page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentgym_rl.environments.web.browser import Element, View


@dataclass(frozen=True, slots=True)
class Situation:
    """A turn of an episode, as the agent sees it."""

    goal: str
    view: View

    def all(self, role: str | None = None, name: str | None = None) -> list[Element]:
        """The elements of a role and a name, in document order."""
        return [
            element
            for element in self.view.elements[1:]
            if (role is None or element.role == role) and (name is None or element.name == name)
        ]

    def find(self, role: str | None = None, name: str | None = None) -> Element | None:
        """The first of :meth:`all`."""
        return next(iter(self.all(role, name)), None)

    def click(self, element: Element | None) -> str | None:
        """The action that clicks it; None for none."""
        return None if element is None else f"click [{element.id}]"

    def type(self, element: Element | None, text: str) -> str | None:
        """The action that types into it; None for none."""
        return None if element is None else f"type [{element.id}] [{text}] [0]"


Oracle = Callable[[Situation], str | None]
ORACLES: dict[str, Oracle] = {}


def oracle(*pages: str) -> Callable[[Oracle], Oracle]:
    """Registers a function as the oracle of these pages."""

    def register(function: Oracle) -> Oracle:
        ORACLES.update(dict.fromkeys(pages, function))
        return function

    return register
