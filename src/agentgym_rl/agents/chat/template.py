"""Any Hugging Face chat template, incrementally."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from agentgym_rl.agents.chat.encoding import ChatTokenizer, TextEncoder
from agentgym_rl.agents.chat.pieces import END_OF_THOUGHT, Content, Piece, UncuttableTemplate, cut_template
from agentgym_rl.agents.engines.protocol import Message

DATE = "26 Jul 2024"
"""Told to templates that write today's date (Llama 3), so that a prompt is the same on every day."""


class TemplateRenderer:
    """A :class:`~agentgym_rl.agents.chat.renderer.ChatRenderer` from the tokenizer's chat template.

    The world's instructions are the system message, or begin the first user message where the template has no system
    role; observations are user messages. The template is cut once into the pieces it puts around contents; contents join
    the template's plain text around them before they are encoded, so that ids are those of the whole text.
    ``template_settings`` go to the template (``enable_thinking=False``).

    Space around the model's own messages stays as sampled even where the template would strip it.
    Raises ValueError when there is no chat template, :class:`UncuttableTemplate` when it cannot be cut.
    """

    def __init__(self, tokenizer: ChatTokenizer, **template_settings: Any) -> None:
        if not tokenizer.chat_template:
            raise ValueError("the tokenizer has no chat template: use agent.template=transcript, or a model tuned for chat")
        settings = {"date_string": DATE, **template_settings}

        def render(messages: list[Message], ask: bool) -> str:
            text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=ask, **settings)
            return str(text)

        self._encoder = encoder = TextEncoder(tokenizer, tokenizer.get_chat_template())
        self._pieces = pieces = cut_template(render)
        parts = encoder.split(pieces.close)
        end = next((number for number in parts if isinstance(number, int)), None)
        if end is None:
            raise UncuttableTemplate(f"the chat template closes messages by {pieces.close!r}, which has no special token")
        cut = parts.index(end) + 1
        self.end_of_turn = tuple(self._encode(parts[:cut]))
        self._rest = self._encode(parts[cut:])
        self.closing = (*self.end_of_turn, *self._rest)
        around = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id)
        self.stop_ids = frozenset([end, *(number for number in around if number is not None)])
        self.rewrites_history = pieces.strips_thought or pieces.answered != pieces.ask

    @cached_property
    def newline_ids(self) -> frozenset[int]:
        return self._encoder.ids_with("\n")

    def start(self, instructions: str, observation: str, *, answered: bool = False) -> list[int]:
        return self._assemble(self._pieces.start(instructions, observation, answered=answered))

    def observe(self, text: str, *, answered: bool = False) -> list[int]:
        return self._assemble(self._pieces.observe(text, answered=answered))

    def after_message(self, ids: Sequence[int]) -> list[int]:
        return list(self._rest if ids and ids[-1] == self.end_of_turn[-1] else self.closing)

    def encode_message(self, text: str) -> list[int]:
        return self._encoder.encode_continuing(text)

    encode_continuing = encode_message

    def message_text(self, ids: Sequence[int]) -> str:
        return self._encoder.decode(ids[:-1] if ids and ids[-1] in self.stop_ids else ids)

    def rewritten(self, ids: Sequence[int]) -> list[int] | None:
        """What stands behind the last ``</think>``. A message whose ``</think>`` ends inside a token stays as sampled."""
        ids = list(ids)
        text = self._encoder.decode(ids)
        if not self._pieces.strips_thought or END_OF_THOUGHT not in text:
            return ids if self._pieces.answered != self._pieces.ask else None
        count = text.count(END_OF_THOUGHT)
        cut = (
            bisect_left(range(len(ids)), count, key=lambda last: self._encoder.decode(ids[: last + 1]).count(END_OF_THOUGHT))
            + 1
        )
        surplus = self._encoder.decode(ids[:cut]).rpartition(END_OF_THOUGHT)[2]
        if surplus.strip("\n") or (surplus and not self._pieces.strips_newlines):
            return None
        while self._pieces.strips_newlines and set(self._encoder.decode(ids[cut : cut + 1])) == {"\n"}:
            cut += 1
        return ids[cut:]

    def head(self, text: str, tokens: int) -> str:
        return self._encoder.head(text, tokens)

    def _assemble(self, pieces: Sequence[Piece]) -> list[int]:
        parts: list[int | str] = []
        for piece in pieces:
            for part in [piece.text] if isinstance(piece, Content) else self._encoder.split(piece):
                if parts and isinstance(part, str) and isinstance(parts[-1], str):
                    parts[-1] += part
                else:
                    parts.append(part)
        return self._encode(parts)

    def _encode(self, parts: Sequence[int | str]) -> list[int]:
        ids: list[int] = []
        for part in parts:
            ids += [part] if isinstance(part, int) else self._encoder.encode(part)
        return ids
