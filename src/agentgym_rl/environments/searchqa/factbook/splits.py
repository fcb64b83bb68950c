"""Which split a question belongs to: countries are dealt out, and with them the chains that start there."""

from __future__ import annotations

from collections.abc import Iterable

from agentgym_rl.environments.searchqa.shares import share
from agentgym_rl.environments.task_set import Split

_TEST, _VALIDATION, _HELD_OUT = 0.22, 0.30, 0.12
"""Countries up to these shares are for test and validation; the share of (descriptor, property) pairs that training never sees."""


def split_of_country(key: str) -> Split:
    """The split of a country."""
    drawn = share("split", key)
    return "test" if drawn < _TEST else "validation" if drawn < _VALIDATION else "train"


def held_out(pair: tuple[str, str]) -> bool:
    """Whether no training question asks for this property of a country described so."""
    return share("pair", *pair) < _HELD_OUT


def split_of_chain(starts: Iterable[str], reaches: Iterable[str]) -> Split | None:
    """The split of a chain from and over these countries; None: it would mix splits.

    A training chain stays among training countries from start to end, so those a test chain starts from were never seen. What a
    test chain comes by later may have been.
    """
    first = {split_of_country(key) for key in starts}
    later = {split_of_country(key) for key in reaches}
    if first == {"test"}:
        return "test"
    if first == {"validation"} and "test" not in later:
        return "validation"
    return "train" if first == {"train"} and later <= {"train"} else None
