"""Plain text instead of a chat: short, for small models."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.agents.chat.encoding import ChatTokenizer, TextEncoder


class TranscriptRenderer:
    """A :class:`~agentgym_rl.agents.chat.renderer.ChatRenderer` that writes a log of a session at a prompt::

        INSTRUCTIONS

        OBSERVATION
        > ACTION
        OBSERVATION
        > ACTION

    A message is the rest of the line after ``>``. It ends at the first token with a newline in it, or at any special token.
    """

    rewrites_history = False

    def __init__(self, tokenizer: ChatTokenizer) -> None:
        self._encoder = encoder = TextEncoder(tokenizer)
        self.end_of_turn = self.closing = tuple(encoder.encode_continuing("\n"))
        self.newline_ids = encoder.ids_with("\n")
        self._closers = frozenset(number for number in self.newline_ids if encoder.decode([number]).endswith("\n"))
        self.stop_ids = self.newline_ids | encoder.control_ids
        opening = encoder.backend.encode("").ids
        self._begin = opening[:1] if opening[:1] == [tokenizer.bos_token_id] else []

    def start(self, instructions: str, observation: str, *, answered: bool = False) -> list[int]:  # noqa: ARG002
        text = f"{instructions}\n\n{observation}" if instructions else observation
        return [*self._begin, *self._encoder.encode(f"{text}\n>")]

    def observe(self, text: str, *, answered: bool = False) -> list[int]:  # noqa: ARG002
        return self._encoder.encode_continuing(f"{text}\n>")

    def after_message(self, ids: Sequence[int]) -> list[int]:
        return [] if ids and ids[-1] in self._closers else list(self.closing)

    def encode_message(self, text: str) -> list[int]:
        return self._encoder.encode_continuing(f" {text}")

    def encode_continuing(self, text: str) -> list[int]:
        return self._encoder.encode_continuing(text)

    def message_text(self, ids: Sequence[int]) -> str:
        if ids and ids[-1] in self._encoder.control_ids:
            ids = ids[:-1]
        text = self._encoder.decode(ids).removeprefix(" ")
        return text.rpartition("\n")[0].rstrip("\n") if ids and ids[-1] in self.newline_ids else text

    def rewritten(self, ids: Sequence[int]) -> list[int] | None:  # noqa: ARG002
        return None

    def head(self, text: str, tokens: int) -> str:
        return self._encoder.head(text, tokens)
