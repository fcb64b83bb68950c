"""``Thought: …`` and ``Action: …`` (ReAct, https://arxiv.org/abs/2210.03629)."""

from __future__ import annotations

import re

from agentgym_rl.agents.formats.protocol import ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionSchema

ACTION = re.compile(r"^[ \t*]*action[ \t*]*:[ \t*]*", re.IGNORECASE | re.MULTILINE)
NEXT_TURN = re.compile(r"^[ \t*]*(?:observation|thought)[ \t*]*:", re.IGNORECASE | re.MULTILINE)
"""What some models write on behalf of the world once they have acted: cut off."""


class ReactFormat(ActionFormat):
    """The action is what follows the one line that begins with ``Action:``."""

    name = "react"
    thought = ("Thought: ", "\n")

    def instructions(self, schema: ActionSchema) -> str:  # noqa: ARG002
        return "Answer in this form, with exactly one action:\nThought: your reasoning\nAction: your action"

    def read(self, message: str) -> Reading:
        actions = list(ACTION.finditer(message := after_thought(message)))
        how = "Write your reasoning after 'Thought:', then exactly one line that begins with 'Action:', with the action."
        if not actions:
            return Reading(None, f"Your message has no line that begins with 'Action:'. {how}")
        if len(actions) > 1:
            return Reading(None, f"Your message has {len(actions)} lines that begin with 'Action:'. {how}")
        action = NEXT_TURN.split(message[actions[0].end() :], maxsplit=1)[0].strip()
        if not action:
            return Reading(None, f"Nothing follows 'Action:' in your message. {how}")
        return Reading(action)

    def _write(self, action: str) -> str:
        return f"Action: {action}"
