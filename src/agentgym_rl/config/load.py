"""File and overrides to validated settings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from agentgym_rl.config.check import check
from agentgym_rl.config.draft import Draft
from agentgym_rl.config.problems import describe
from agentgym_rl.config.settings import Settings

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[S]):
    """Validated settings, and what to tell about how they came about."""

    settings: S
    notes: list[str]
    """Keys of the file that an override made inert and that were dropped."""


def load(path: str | Path | None, overrides: Iterable[str], model: type[S]) -> Loaded[S]:
    """The settings of a YAML file (None: all defaults) with ``a.b.c=VALUE`` overrides, VALUE being YAML.

    An override replaces what it names, whole lists and sections included. Raises
    :class:`~agentgym_rl.config.errors.ConfigError` for an unknown key, a wrong value, and a key that would do nothing.
    """
    draft = Draft.read(None if path is None else Path(path), overrides)
    check(draft, model)
    try:
        # Through JSON, because there a list may become a tuple although everything else is strict.
        settings = model.model_validate_json(json.dumps(draft.tree))
    except ValidationError as error:
        raise describe(error, draft, model) from None
    return Loaded(settings, draft.notes)
