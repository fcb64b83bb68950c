"""Pages on which the right button is clicked."""

from __future__ import annotations

import re

from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


@oracle("click-test")
def click_test(now: Situation) -> str | None:
    return now.click(now.find("button"))


@oracle("click-test-2", "click-test-transfer")
def click_test_2(now: Situation) -> str | None:
    found = re.search(r"button (ONE|TWO)", now.goal)
    return now.click(now.find("button", found[1])) if found else None


@oracle("enter-text", "enter-text-dynamic")
def enter_text(now: Situation) -> str | None:
    """Types what the goal quotes, then submits."""
    found = re.search(r'"([^"]*)"', now.goal)
    field = next((element for element in now.view.elements if element.editable), None)
    if found is None or field is None:
        return None
    if field.properties.get("value") != found[1]:
        return now.type(field, found[1])
    return now.click(now.find("button"))
