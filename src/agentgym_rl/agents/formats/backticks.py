"""Reasoning that ends with the action in triple backticks (WebArena, https://arxiv.org/abs/2307.13854)."""

from __future__ import annotations

from agentgym_rl.agents.formats.protocol import ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionSchema

FENCE = "```"


class BackticksFormat(ActionFormat):
    """The action is the first text between triple backticks."""

    name = "backticks"
    thought = ("", "\n")

    def instructions(self, schema: ActionSchema) -> str:  # noqa: ARG002
        return (
            "Reason first if you like, then give exactly one action between triple backticks: "
            f"In summary, the next action I will perform is {FENCE}your action{FENCE}"
        )

    def read(self, message: str) -> Reading:
        parts = after_thought(message).split(FENCE)
        how = f"Put exactly one action between triple backticks: {FENCE}your action{FENCE}"
        if len(parts) < 3:
            return Reading(None, f"Your message has no text between triple backticks. {how}")
        action = parts[1].strip()
        return Reading(action) if action else Reading(None, f"The triple backticks in your message are empty. {how}")

    def _write(self, action: str) -> str:
        return f"{FENCE}{action}{FENCE}"
