"""Text to token ids, with the tokens that steer a model out of reach of the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordLevel

SURROGATES = re.compile("[\ud800-\udfff]")
"""Half of a UTF-16 pair: no tokenizer takes it."""

ANCHOR = "a"
"""Decoded before every text: some decoders take the space from the beginning of what they are given."""


class ChatTokenizer(Protocol):
    """What this package needs of a Hugging Face fast tokenizer."""

    @property
    def backend_tokenizer(self) -> Tokenizer: ...

    @property
    def added_tokens_decoder(self) -> Mapping[int, AddedToken]: ...

    chat_template: Any
    bos_token_id: int | None
    eos_token_id: int | None
    pad_token_id: int | None

    def apply_chat_template(
        self, conversation: Any, *, tokenize: Any, add_generation_prompt: Any, **settings: Any
    ) -> Any: ...

    def get_chat_template(self) -> str: ...


class TextEncoder:
    """Encodes text that must stay text: no special token comes out of it, whatever it says.

    Control tokens are the tokenizer's special tokens and those added tokens that the chat template itself writes
    (``<think>``, ``<tool_call>``): the text of one becomes ordinary tokens. Encoding goes to the Rust tokenizer directly
    and adds no tokens at either end. Raises ValueError for a tokenizer without a fast backend.
    """

    def __init__(self, tokenizer: ChatTokenizer, template: str = "") -> None:
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if not isinstance(backend, Tokenizer):
            raise ValueError(f"{type(tokenizer).__name__} is not a fast tokenizer; save the model with a tokenizer.json")
        self.backend = backend
        added = dict(sorted(tokenizer.added_tokens_decoder.items()))
        self.control = {
            token.content: number for number, token in added.items() if token.special or token.content in template
        }
        """Text of each control token → its id."""
        self.control_ids = frozenset(self.control.values())
        self._added = {token.content: token for token in added.values()}
        self._split = re.compile(
            "(" + "|".join(re.escape(text) for text in sorted(self.control, key=len, reverse=True)) + ")"
        )
        self._after_control = self._copy(added, kept_prefixes=("always",))
        self._continuing = self._copy(added, kept_prefixes=())
        self._anchor = self.encode_continuing(ANCHOR)
        self._anchor_length = len(backend.decode(self._anchor))

    def encode(self, text: str) -> list[int]:
        """The ids of a text that follows a control token or begins a document."""
        return self._encode(self._after_control, text)

    def encode_continuing(self, text: str) -> list[int]:
        """The ids of a text that follows other text: no word-start mark is put before it."""
        return self._encode(self._continuing, text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids`` in the middle of a text, special tokens written out, half characters as U+FFFD."""
        return self.backend.decode([*self._anchor, *ids], skip_special_tokens=False)[self._anchor_length :]

    def head(self, text: str, tokens: int) -> str:
        """The beginning of ``text`` that takes about ``tokens`` tokens (a cut word may encode otherwise)."""
        text = SURROGATES.sub("\ufffd", text)
        encoding = self._continuing.encode(text, add_special_tokens=False)
        if len(encoding.ids) <= tokens:
            return text
        return text[: encoding.offsets[tokens - 1][1]] if tokens > 0 else ""

    def split(self, text: str) -> list[int | str]:
        """Template text as control-token ids and the plain text between them."""
        if not self.control:
            return [text] if text else []
        parts: list[int | str] = []
        strip_next = False
        for piece in self._split.split(text):
            token = self._added.get(piece) if piece in self.control else None
            if token is None:
                plain = piece.lstrip() if strip_next else piece
                if plain:
                    parts.append(plain)
            else:
                if token.lstrip and parts and isinstance(parts[-1], str):
                    parts[-1] = parts[-1].rstrip()
                parts.append(self.control[piece])
            strip_next = token is not None and token.rstrip
        return [part for part in parts if part != ""]

    def ids_with(self, text: str) -> frozenset[int]:
        """Every token id whose text contains ``text``."""
        size = self.backend.get_vocab_size(with_added_tokens=True)
        return frozenset(number for number in range(size) if text in self.decode([number]))

    def _encode(self, tokenizer: Tokenizer, text: str) -> list[int]:
        if not text:
            return []
        text = SURROGATES.sub("\ufffd", text)
        ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        if self.control_ids.isdisjoint(ids):
            return ids
        return self._encode_broken(tokenizer, text)

    def _encode_broken(self, tokenizer: Tokenizer, text: str) -> list[int]:
        """For models whose vocabulary itself holds the control tokens: cut each one's text after its first character."""
        ids: list[int] = []
        begin = 0
        for cut in [*(match.start() + 1 for match in self._split.finditer(text)), len(text)]:
            ids += (tokenizer if begin == 0 else self._continuing).encode(text[begin:cut], add_special_tokens=False).ids
            begin = cut
        return [number for number in ids if number not in self.control_ids]

    def _copy(self, added: Mapping[int, AddedToken], kept_prefixes: Iterable[str]) -> Tokenizer:
        """A tokenizer on the same model (shared, not copied) that never matches a control token."""
        pipeline = Tokenizer(WordLevel({"": 0}, unk_token=""))
        if self.backend.normalizer is not None:
            pipeline.normalizer = self.backend.normalizer
        if self.backend.pre_tokenizer is not None:
            pipeline.pre_tokenizer = self.backend.pre_tokenizer
        pipeline = Tokenizer.from_str(_without_prefix(pipeline.to_str(), frozenset(kept_prefixes)))
        copy = Tokenizer(self.backend.model)
        if pipeline.normalizer is not None:
            copy.normalizer = pipeline.normalizer
        if pipeline.pre_tokenizer is not None:
            copy.pre_tokenizer = pipeline.pre_tokenizer
        for number, token in added.items():
            control = token.content in self.control
            options = {"single_word": token.single_word, "lstrip": token.lstrip, "rstrip": token.rstrip}
            entry = AddedToken(token.content, normalized=token.normalized, special=control, **options)
            (copy.add_special_tokens if control else copy.add_tokens)([entry])
            if copy.token_to_id(token.content) != number:
                raise ValueError(f"the tokenizer's added token {token.content!r} has id {number}, out of order")
        copy.encode_special_tokens = True
        return copy


def _without_prefix(specification: str, kept: frozenset[str]) -> str:
    """A tokenizer's JSON whose pipeline puts no word-start mark before a text, unless its scheme is among ``kept``."""

    def visit(part: Any) -> Any:
        if isinstance(part, list):
            return [visit(item) for item in part if not (_is_prepend(item) and "always" not in kept)]
        if not isinstance(part, dict):
            return part
        part = {name: visit(value) for name, value in part.items()}
        if part.get("type") == "Metaspace" and part.get("prepend_scheme") not in kept:
            part["prepend_scheme"] = "never"
        if part.get("type") == "ByteLevel" and part.get("add_prefix_space") and "always" not in kept:
            part["add_prefix_space"] = False
        return part

    tree = json.loads(specification)
    for name in ("normalizer", "pre_tokenizer"):
        part = tree[name]
        tree[name] = None if _is_prepend(part) and "always" not in kept else visit(part)
    return json.dumps(tree)


def _is_prepend(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "Prepend"
