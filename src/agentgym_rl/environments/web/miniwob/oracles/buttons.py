"""Pages on which the right button or field is clicked."""

from __future__ import annotations

import re

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


@oracle("click-test", "focus-text")
def the_only_one(now: Situation) -> str | None:
    return now.click(next(iter(now.elements), None))


@oracle("click-test-2", "click-test-transfer")
def click_test_2(now: Situation) -> str | None:
    return now.button(now.part(r"button (ONE|TWO)"))


@oracle("click-button-sequence")
def click_button_sequence(now: Situation) -> str | None:
    """The focus tells that the first one was clicked."""
    return now.button("TWO" if now.focused else "ONE")


@oracle("click-button", "unicode-test")
def click_button(now: Situation) -> str | None:
    return now.click(now.find("button", now.quoted[0]))


@oracle("click-dialog", "click-dialog-2")
def click_dialog(now: Situation) -> str | None:
    return now.button({"x": "Close"}.get(now.quoted[0], now.quoted[0]))


@oracle("focus-text-2")
def focus_text_2(now: Situation) -> str | None:
    return now.click(now.fields[int(now.part(r"(\d+)(?:st|nd|rd|th)")) - 1])


@oracle("click-widget")
def click_widget(now: Situation) -> str | None:
    kind = now.quoted[0]

    def fits(element: Element) -> bool:
        if kind in ("text", "textarea"):
            return element.editable and element.tag == {"text": "input"}.get(kind, kind)
        return element.role == kind

    return now.click(next(filter(fits, now.elements), None))


@oracle("buy-ticket")
def buy_ticket(now: Situation) -> str | None:
    """A ticket is its duration and, after it, its button with the price."""
    buttons = now.all("button")
    times = [re.findall(r"\d+", one.name) for one in now.elements if re.fullmatch(r"\d+h \d+m", one.name)]
    if "cost" in now.goal:
        sizes = [int(one.name.rpartition("$")[2]) for one in buttons]
    else:
        sizes = [int(hours) * 60 + int(minutes) for hours, minutes in times]
    pick = min if "cheapest" in now.goal or "shortest" in now.goal else max
    return now.click(buttons[sizes.index(pick(sizes))])


@oracle("odd-or-even")
def odd_or_even(now: Situation) -> str | None:
    """Row by row: the focus tells how far it is."""
    numbers = [int(one.name) for one in now.all("StaticText")]
    buttons = [one for one in now.all("button") if one.name in ("Odd", "Even")]
    focused = now.focused
    row = buttons.index(focused) // 2 + 1 if focused in buttons else 0
    if row == len(numbers):
        return now.button("Submit")
    return now.click(buttons[2 * row + (numbers[row] % 2 == 0)])
