"""How a message carries its action."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from agentgym_rl.environments.protocol import ActionSchema


class Reading(NamedTuple):
    """What a message said: an action, or the problem that kept it from being read."""

    action: str | None
    problem: str | None = None
    """Told to the model as its next observation: what was wrong and how to do it right."""


class ActionFormat(Protocol):
    """Reads actions out of messages and writes them into messages. For every action of the world's schema
    ``read(write(action, thought)).action == action``."""

    name: str
    thought: tuple[str, str] | None
    """What stands before and after a one-line thought that precedes the action; None: the format has no place for one."""

    def instructions(self, schema: ActionSchema) -> str:
        """The text that tells the model the format; it follows the world's instructions. May be empty."""

    def read(self, message: str) -> Reading:
        """The action of a message. Takes any text, raises nothing, evaluates nothing."""

    def write(self, action: str, thought: str = "") -> str:
        """A message that carries ``action``. ValueError where the format cannot say it."""
