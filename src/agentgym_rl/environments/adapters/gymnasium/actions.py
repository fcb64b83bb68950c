"""Names for the actions of a Gymnasium environment."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

MOST_LISTED = 500
"""More combinations of a MultiDiscrete space are not listed as admissible actions."""


class Actions(Protocol):
    """Reads action strings, and lists them where it can."""

    def read(self, text: str) -> Any | None:
        """The action of the space; None: it is none."""

    def admissible(self, mask: Sequence[int] | None) -> list[str] | None:
        """Every action string, or those that a mask lets through; None where they can't be listed."""

    @property
    def schema(self) -> ActionSchema: ...

    @property
    def told(self) -> str:
        """What can be done, for a model to read."""


class DiscreteActions:
    """One name an action; case and white space around and between words do not matter."""

    def __init__(self, space: Discrete[Any], names: Sequence[str]) -> None:
        self._names = list(names)
        self._values = {_plain(name): int(space.start) + place for place, name in enumerate(names)}

    def read(self, text: str) -> int | None:
        return self._values.get(_plain(text))

    def admissible(self, mask: Sequence[int] | None) -> list[str]:
        allowed = self._names if mask is None else [name for name, on in zip(self._names, mask, strict=True) if on]
        return list(allowed or self._names)

    @property
    def schema(self) -> ActionSchema:
        """A function an action where all names can be those of functions; else one function that takes the name."""
        functions = [re.sub(r"\W+", "_", name.lower()).strip("_") for name in self._names]
        if len(set(functions)) == len(functions) and all(name.isidentifier() for name in functions):
            return tuple(
                ActionFunction(function, name, template=_escaped(name))
                for function, name in zip(functions, self._names, strict=True)
            )
        choice = Parameter("action", "string", "Its name", enum=tuple(self._names))
        return (ActionFunction("act", "Take an action.", (choice,), "{action}"),)

    @property
    def told(self) -> str:
        return ", ".join(self._names)


class MultiDiscreteActions:
    """One name for each part of the action, with commas between."""

    def __init__(self, space: MultiDiscrete, names: Sequence[Sequence[str]]) -> None:
        self._space = space
        self._parts = [DiscreteActions(Discrete(len(part)), part) for part in names]
        self._names = [list(part) for part in names]

    def read(self, text: str) -> Any | None:
        words = text.split(",")
        if len(words) != len(self._parts):
            return None
        places = [part.read(word) for part, word in zip(self._parts, words, strict=True)]
        found = [place for place in places if place is not None]
        return self._space.start + np.array(found, self._space.dtype) if len(found) == len(places) else None

    def admissible(self, mask: Sequence[int] | None) -> list[str] | None:  # noqa: ARG002 - masks of parts are not combined
        if int(np.prod(self._space.nvec)) > MOST_LISTED:
            return None
        return [", ".join(words) for words in itertools.product(*self._names)]

    @property
    def schema(self) -> ActionSchema:
        parts = tuple(
            Parameter(f"part_{number}", "string", f"Part {number} of the action", enum=tuple(names))
            for number, names in enumerate(self._names, 1)
        )
        template = ", ".join(f"{{{part.name}}}" for part in parts)
        return (ActionFunction("act", "Take an action of several parts.", parts, template),)

    @property
    def told(self) -> str:
        return "; ".join(f"part {number} of {', '.join(names)}" for number, names in enumerate(self._names, 1)) + (
            ' (write the parts with commas between, as in "' + ", ".join(names[0] for names in self._names) + '")'
        )


class TextActions:
    """The action string itself, where the space has it."""

    def __init__(self, space: gymnasium.Space[Any]) -> None:
        self._space = space

    def read(self, text: str) -> str | None:
        return text if self._space.contains(text) else None

    def admissible(self, mask: Sequence[int] | None) -> None:  # noqa: ARG002 - text has no list to mask
        return None

    @property
    def schema(self) -> ActionSchema:
        text = Parameter("text", "string", "The action")
        return (ActionFunction("act", "Act by a text.", (text,), "{text}"),)

    @property
    def told(self) -> str:
        if isinstance(self._space, gymnasium.spaces.Text):
            return f"a text of {self._space.min_length} to {self._space.max_length} characters"
        return "a text"


def actions_of(id: str, space: gymnasium.Space[Any], names: Sequence[Any] | None) -> Actions:
    """The actions of a space.

    Args:
        id: the world, for messages.
        space: Discrete, one-dimensional MultiDiscrete, or of strings.
        names: a name for each action; of MultiDiscrete a list for each part. None: their numbers.

    Raises:
        ValueError: another space; names that don't fit it.
    """
    if isinstance(space, Discrete):
        numbers = [str(int(space.start) + place) for place in range(int(space.n))]
        return DiscreteActions(space, _checked(id, numbers, names))
    if isinstance(space, MultiDiscrete) and space.nvec.ndim == 1:
        numbered = [[str(start + place) for place in range(n)] for start, n in zip(space.start, space.nvec, strict=True)]
        chosen = names if names is not None else numbered
        if len(chosen) != len(numbered):
            raise ValueError(f"environment {id!r}: actions needs {len(numbered)} lists of names, not {len(chosen)}")
        return MultiDiscreteActions(space, [_checked(id, part, given) for part, given in zip(numbered, chosen, strict=True)])
    if space.dtype is not None and space.dtype.kind == "U":
        if names is not None:
            raise ValueError(f"environment {id!r}: actions would do nothing, its actions are texts: remove it")
        return TextActions(space)
    raise ValueError(
        f"environment {id!r} takes actions of {space}; only discrete ones (Discrete, MultiDiscrete with one dimension) and "
        "texts can be written as strings: wrap it so that it takes those"
    )


def _checked(id: str, numbers: Sequence[str], names: Iterable[Any] | None) -> list[str]:
    if names is None:
        return list(numbers)
    given = [names] if isinstance(names, str) else [str(name) for name in names]
    if len(given) != len(numbers):
        raise ValueError(f"environment {id!r}: actions needs {len(numbers)} names, not {len(given)}: {', '.join(given)}")
    if len({_plain(name) for name in given}) != len(given) or not all(map(_plain, given)):
        raise ValueError(f"environment {id!r}: actions needs names that differ and are not empty, not {', '.join(given)}")
    return given


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


def _escaped(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")
