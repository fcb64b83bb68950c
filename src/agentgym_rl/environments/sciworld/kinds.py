"""The 30 kinds of ScienceWorld tasks, and the columns of the AgentGym-RL benchmark that they belong to.

Data, so that listing tasks starts no Java; a test compares it with the simulator.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of task; its variations differ in what is asked for and in how the house is furnished."""

    number: str
    """Its number in the ScienceWorld paper, such as ``4-1``."""
    name: str
    """The simulator's name, such as ``find-living-thing``."""
    category: str
    variations: int
    gold_in_limit: bool = True
    """Whether the simulator's own solution scores 100 within its limit of 100 moves."""

    @property
    def electrical(self) -> bool:
        """Whether the task is about circuits, so that connecting things is of use."""
        return self.number.startswith("3-")


BENCHMARK = (
    Kind("1-1", "boil", "Change-State", 30),
    Kind("1-2", "melt", "Change-State", 30),
    Kind("1-3", "freeze", "Change-State", 30),
    Kind("1-4", "change-the-state-of-matter-of", "Change-State", 30),
    Kind("2-1", "use-thermometer", "Measure", 540),
    Kind("2-2", "measure-melting-point-known-substance", "Measure", 436),
    Kind("2-3", "measure-melting-point-unknown-substance", "Measure", 300),
    Kind("3-1", "power-component", "Circuit", 20),
    Kind("3-2", "power-component-renewable-vs-nonrenewable-energy", "Circuit", 20),
    Kind("3-3", "test-conductivity", "Test-Cond", 900),
    Kind("3-4", "test-conductivity-of-unknown-substances", "Test-Cond", 600),
    Kind("4-1", "find-living-thing", "Find", 300),
    Kind("4-2", "find-non-living-thing", "Find", 300),
    Kind("4-3", "find-plant", "Find", 300),
    Kind("4-4", "find-animal", "Find", 300),
    Kind("6-1", "chemistry-mix", "Chem-Mix", 32),
    Kind("6-2", "chemistry-mix-paint-secondary-color", "Chem-Mix", 36),
    Kind("6-3", "chemistry-mix-paint-tertiary-color", "Chem-Mix", 36),
    Kind("7-1", "lifespan-longest-lived", "Lifespan", 125),
    Kind("7-2", "lifespan-shortest-lived", "Lifespan", 125),
    Kind("7-3", "lifespan-longest-lived-then-shortest-lived", "Lifespan", 125),
    Kind("8-1", "identify-life-stages-1", "Life-Stages", 14),
    Kind("8-2", "identify-life-stages-2", "Life-Stages", 10),
)
"""The 23 kinds of the benchmark, in the order that its published item ids count in."""

OTHERS = (
    Kind("5-1", "grow-plant", "Grow", 126),
    Kind("5-2", "grow-fruit", "Grow", 126),
    Kind("9-1", "inclined-plane-determine-angle", "Incline", 168),
    Kind("9-2", "inclined-plane-friction-named-surfaces", "Incline", 1386),
    Kind("9-3", "inclined-plane-friction-unnamed-surfaces", "Incline", 162, gold_in_limit=False),
    Kind("10-1", "mendelian-genetics-known-plant", "Genetics", 120, gold_in_limit=False),
    Kind("10-2", "mendelian-genetics-unknown-plant", "Genetics", 480, gold_in_limit=False),
)
"""The seven kinds that the benchmark leaves out."""

ALL = (*BENCHMARK, *OTHERS)
BY_NAME = {kind.name: kind for kind in ALL}
_BY_WORD = {**BY_NAME, **{kind.number: kind for kind in ALL}}


def choose(kinds: Sequence[str] | str | None) -> tuple[Kind, ...]:
    """The kinds meant by the ``kinds`` setting: None (the benchmark's), ``"all"``, a name or number, or a list of them.

    Raises:
        ValueError: a word that is no kind, with the nearest ones; an empty list; anything else.
    """
    if kinds is None:
        return BENCHMARK
    if kinds == "all":
        return ALL
    words = (kinds,) if isinstance(kinds, str) else kinds
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"environment 'sciworld': kinds must be a name, a list of names, or \"all\", not {kinds!r}")
    if not words:
        raise ValueError(
            "environment 'sciworld': kinds is empty: name some, or \"all\", or leave it out for the benchmark's 23"
        )
    for word in words:
        if word not in _BY_WORD:
            near = ", ".join(difflib.get_close_matches(word, _BY_WORD, n=3)) or ", ".join(BY_NAME)
            raise ValueError(f"environment 'sciworld': unknown kind {word!r}; nearest: {near}")
    return tuple(dict.fromkeys(_BY_WORD[word] for word in words))
