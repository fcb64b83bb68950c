"""The message is the action."""

from __future__ import annotations

from agentgym_rl.agents.formats.protocol import Reading
from agentgym_rl.environments.protocol import ActionSchema


class RawFormat:
    """The whole message, without space around it, is the action. There is no place for a thought."""

    name = "raw"
    thought = None

    def instructions(self, schema: ActionSchema) -> str:  # noqa: ARG002
        return ""

    def read(self, message: str) -> Reading:
        action = message.strip()
        if not action:
            return Reading(None, "Your message was empty. Answer with an action and nothing else.")
        return Reading(action)

    def write(self, action: str, thought: str = "") -> str:
        if thought:
            raise ValueError("the raw format has no place for a thought: use react, tags or backticks")
        return action
