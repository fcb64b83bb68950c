"""The spaces of text worlds. Gymnasium's own text space has a character set and a largest length; these have neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

_SAMPLE_LENGTH = 32
_SAMPLE_ALPHABET = "abcdefghijklmnopqrstuvwxyz 0123456789,.<>|\n\u00e9\u4e2d\u0634\U0001f600"


class UnicodeText(gymnasium.Space[str]):
    """Every Unicode string, the empty one included. Samples are short and mix letters, digits, signs and other scripts."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a string has no fixed length."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random string of 0 to 32 characters. There is nothing to mask or weigh.

        Raises:
            ValueError: a mask or probability was given.
        """
        if mask is not None or probability is not None:
            raise ValueError("UnicodeText.sample takes neither mask nor probability")
        length = int(self.np_random.integers(_SAMPLE_LENGTH + 1))
        return "".join(_SAMPLE_ALPHABET[i] for i in self.np_random.integers(len(_SAMPLE_ALPHABET), size=length))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a string."""
        return isinstance(x, str)

    def __repr__(self) -> str:
        return "UnicodeText()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText)

    __hash__ = None  # type: ignore[assignment]  # as every gymnasium space: equal by content, not hashable


def text_and_image(height: int, width: int, **further: gymnasium.Space[Any]) -> gymnasium.spaces.Dict:
    """The observation space of a world with pictures: ``text``, ``image`` uint8 ``[height, width, 3]``, others."""
    image = gymnasium.spaces.Box(0, 255, (height, width, 3), np.uint8)
    spaces: Mapping[str, gymnasium.Space[Any]] = {"text": UnicodeText(), "image": image, **further}
    return gymnasium.spaces.Dict(dict(spaces))
