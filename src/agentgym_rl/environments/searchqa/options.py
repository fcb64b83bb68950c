"""The world's settings, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

FACTBOOK = "factbook"
RETRIEVERS = ("bm25", "dense", "hybrid")


@dataclass(frozen=True, slots=True)
class Options:
    """The constructor's arguments; the docs page explains them. Raises ValueError in :meth:`check`."""

    questions: str | tuple[str, ...] = FACTBOOK
    index: str | None = None
    retriever: str = "bm25"
    topk: int = 3
    tokens: int = 500
    searches: int | None = None
    attempts: int | None = 1
    queries_offered: int = 32
    answers_offered: int = 32
    format_reward: float = 0.0
    retrieval_reward: float = 0.0

    @classmethod
    def check(cls, settings: Mapping[str, Any]) -> Options:
        """The options of ``settings``, defaults for what they lack."""
        given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
        options = cls(**given)
        for name, least in (("topk", 1), ("tokens", 20), ("queries_offered", 1), ("answers_offered", 1)):
            _whole(name, getattr(options, name), least)
        for name in ("searches", "attempts"):
            if getattr(options, name) is not None:
                _whole(name, getattr(options, name), 1)
        for name in ("format_reward", "retrieval_reward"):
            value = getattr(options, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise ValueError(f"environment 'searchqa': {name} must be a number from 0 to below 1, not {value!r}")
        named = options.questions if isinstance(options.questions, tuple) else (options.questions,)
        if not named or not all(isinstance(one, str) and one for one in named):
            raise ValueError(f"environment 'searchqa': questions must be a name, a path, or a list of them, not {named!r}")
        if options.index is not None and not (isinstance(options.index, str) and options.index):
            raise ValueError(f"environment 'searchqa': index must be a folder or an address, not {options.index!r}")
        if options.retriever not in RETRIEVERS:
            raise ValueError(
                f"environment 'searchqa': retriever must be one of {', '.join(RETRIEVERS)}, not {options.retriever!r}"
            )
        return options

    @property
    def question_sources(self) -> tuple[str, ...]:
        """``questions`` as a sequence."""
        return (self.questions,) if isinstance(self.questions, str) else self.questions


DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(Options)}


def _whole(name: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise ValueError(f"environment 'searchqa': {name} must be a whole number, {least} or more, not {value!r}")
