"""How a message carries its action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from agentgym_rl.environments.protocol import ActionSchema

END_OF_THOUGHT = "</think>"


class Reading(NamedTuple):
    """What a message said: an action, or the problem that kept it from being read."""

    action: str | None
    problem: str | None = None
    """Told to the model as its next observation: what was wrong and how to do it right."""


class ActionFormat(ABC):
    """Reads actions out of messages and writes them into messages: ``read(write(action)).action == action``.

    One is made for a world's action schema. Of a message with ``</think>`` only what follows is read.
    """

    name: ClassVar[str]
    thought: ClassVar[tuple[str, str] | None]
    """What stands before and after a thought that precedes the action; None: the format has no place for one."""

    def __init__(self, schema: ActionSchema) -> None:
        self.schema = schema

    @abstractmethod
    def instructions(self, schema: ActionSchema) -> str:
        """The text that tells the model the format; it follows the world's instructions. May be empty."""

    @abstractmethod
    def read(self, message: str) -> Reading:
        """The action of a message. Takes any text, raises nothing, evaluates nothing; takes time linear in the text."""

    @abstractmethod
    def _write(self, action: str) -> str:
        """A message that carries ``action`` and nothing else. ValueError where no call of the schema makes it."""

    def write(self, action: str, thought: str = "") -> str:
        """A message that carries ``action`` behind an optional thought. ValueError where the format cannot say it."""
        message = self._write(action)
        if thought:
            if self.thought is None:
                raise ValueError(f"the {self.name} format has no place for a thought: use react, tags or backticks")
            message = f"{self.thought[0]}{thought}{self.thought[1]}{message}"
        if self.read(message).action != action:
            raise ValueError(f"the {self.name} format cannot carry {action!r}" + (f" behind {thought!r}" if thought else ""))
        return message


def after_thought(message: str) -> str:
    """A message without its ``<think>…</think>``."""
    before, found, after = message.partition(END_OF_THOUGHT)
    return after if found else before
