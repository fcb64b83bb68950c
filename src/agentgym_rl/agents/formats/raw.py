"""The message is the action."""

from __future__ import annotations

from agentgym_rl.agents.formats.protocol import ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionSchema


class RawFormat(ActionFormat):
    """The whole message, without space around it, is the action. There is no place for a thought."""

    name = "raw"
    thought = None

    def instructions(self, schema: ActionSchema) -> str:  # noqa: ARG002
        return ""

    def read(self, message: str) -> Reading:
        action = after_thought(message).strip()
        if not action:
            return Reading(None, "Your message was empty. Answer with an action and nothing else.")
        return Reading(action)

    def _write(self, action: str) -> str:
        return action
