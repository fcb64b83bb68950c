"""What a model is told: how to act and answer, and in each observation the task, the address and the page."""

from __future__ import annotations

from agentgym_rl.environments.web.browser import View
from agentgym_rl.environments.web.browser.grammar import GRAMMAR
from agentgym_rl.environments.web.webarena.addresses import Addresses
from agentgym_rl.environments.web.webarena.task_file import WebTask
from agentgym_rl.environments.web.webarena.verified.answers import IMPOSSIBLE, STATUSES

_ACT = (
    "Do the objective on the web sites, on which you are logged in. A page is shown as lines of elements, each with its "
    f"number, role and name. Actions: {GRAMMAR}. "
)
_ORIGINAL = (
    "End with stop when the objective is reached, with the answer in the brackets where one is asked for, short and as the page "
    f"has it. Where it can't be done, answer stop [{IMPOSSIBLE}]."
)
_VERIFIED = (
    "End with stop when the objective is reached, with the answer in the brackets where one is asked for: one value, or a "
    f"JSON list of values. Where it can't be done, answer with why: {', '.join(f'stop [{status}]' for status in STATUSES[1:4])}."
)


def instructions_for(evaluators: str) -> str:
    """The prompt text of the world."""
    return _ACT + (_VERIFIED if evaluators == "verified" else _ORIGINAL)


def observation_text(task: WebTask, addresses: Addresses, view: View) -> str:
    """The objective, the address, and the page; every time, since a model may be shown its last turns only."""
    head = [f"Objective: {task.intent}", f"URL: {addresses.shown(view.url)}"]
    if len(addresses.names) > 1:
        head.insert(1, f"Sites: {', '.join(addresses.names)}")
    return "\n".join([*head, addresses.shown(view.text)])
