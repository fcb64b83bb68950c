"""What an oracle sees, and where oracles are found by the name of their page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from agentgym_rl.environments.web.browser import Element, View


@dataclass(frozen=True, slots=True)
class Situation:
    """A turn of an episode, as the agent sees it.

    Methods that name an action return None where there is nothing to do: ``now.fill(…) or now.button("Submit")`` is a form.
    """

    goal: str
    view: View

    @property
    def elements(self) -> list[Element]:
        """All there are, in document order, without the page itself."""
        return list(self.view.elements[1:])

    @property
    def fields(self) -> list[Element]:
        """The elements that take text, in document order."""
        return [element for element in self.elements if element.editable]

    @property
    def quoted(self) -> list[str]:
        """What the goal has in double quotes."""
        return re.findall(r'"([^"]*)"', self.goal)

    @property
    def focused(self) -> Element | None:
        """The element that has the focus: of buttons, the one clicked last."""
        return next((element for element in self.elements if element.properties.get("focused")), None)

    def part(self, pattern: str) -> str:
        """The first group of a pattern in the goal; empty where it is not there."""
        found = re.search(pattern, self.goal)
        return found[1] if found else ""

    def all(self, role: str | None = None, name: str | None = None) -> list[Element]:
        """The elements of a role and a name, in document order."""
        return [
            element
            for element in self.elements
            if (role is None or element.role == role) and (name is None or element.name == name)
        ]

    def find(self, role: str | None = None, name: str | None = None) -> Element | None:
        """The first of :meth:`all`."""
        return next(iter(self.all(role, name)), None)

    def click(self, element: Element | None) -> str | None:
        """The action that clicks it; None for none."""
        return None if element is None else f"click [{element.id}]"

    def button(self, name: str | None = None) -> str | None:
        """The action that clicks the first button of that name, large and small letters aside."""
        wanted = name and name.lower()
        return self.click(next((one for one in self.all("button") if wanted in (None, one.name.lower())), None))

    def fill(self, field: Element | None, text: str) -> str | None:
        """The action that types into it; None for none, and where it holds that already."""
        if field is None or field.properties.get("value", "") in (text, "•" * len(text)):
            return None
        return f"type [{field.id}] [{text}] [0]"

    def fill_all(self, *texts: str) -> str | None:
        """The action that types the next of these into the fields of the page, in their order."""
        return next((act for field, text in zip(self.fields, texts, strict=False) if (act := self.fill(field, text))), None)


Oracle = Callable[[Situation], str | None]
ORACLES: dict[str, Oracle] = {}


def oracle(*pages: str) -> Callable[[Oracle], Oracle]:
    """Registers a function as the oracle of these pages."""

    def register(function: Oracle) -> Oracle:
        ORACLES.update(dict.fromkeys(pages, function))
        return function

    return register
