"""How a conversation becomes token ids, one piece at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class ChatRenderer(Protocol):
    """Makes the ids around a model's messages. What the model sampled is never decoded and encoded again.

    A conversation is ``start``, message, ``after_message``, ``observe``, message, ``after_message``, ...: the ids of these,
    one after the other, are both what the engine sees and what is trained on.
    """

    stop_ids: frozenset[int]
    """A sampled id among these ends a message."""
    end_of_turn: tuple[int, ...]
    """The ids that close a message made by hand, e.g. an admissible action."""
    closing: tuple[int, ...]
    """All ids that follow a message which did not close itself, up to the next observation."""
    rewrites_history: bool
    """The template writes an earlier message otherwise than it was sampled (thinking stripped)."""

    @property
    def newline_ids(self) -> frozenset[int]:
        """Every token id with a newline in its text."""

    def start(self, instructions: str, observation: str, *, answered: bool = False) -> list[int]:
        """The ids up to where the first message stands. ``answered``: as the template writes it once a turn lies behind."""

    def observe(self, text: str, *, answered: bool = False) -> list[int]:
        """The ids of a further observation, up to where the next message stands."""

    def after_message(self, ids: Sequence[int]) -> list[int]:
        """The untrained ids that close a message: all of :attr:`closing`, or what is missing of it."""

    def encode_message(self, text: str) -> list[int]:
        """The ids of a message made by hand, without its end."""

    def encode_continuing(self, text: str) -> list[int]:
        """The ids of a text that goes on with a message."""

    def message_text(self, ids: Sequence[int]) -> str:
        """A message's text, without the token that ended it; half characters become U+FFFD."""

    def rewritten(self, ids: Sequence[int]) -> list[int] | None:
        """The sampled ids that the template keeps of an earlier message; None: the message stays as it was sampled."""

    def head(self, text: str, tokens: int) -> str:
        """The beginning of ``text`` that takes about ``tokens`` tokens."""
