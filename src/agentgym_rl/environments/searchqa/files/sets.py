"""The seven sets: their names, and how AgentGym-RL numbers their questions."""

from __future__ import annotations

import re
from collections.abc import Mapping

CATEGORY: Mapping[str, str] = {
    "nq": "NQ",
    "triviaqa": "TriviaQA",
    "popqa": "PopQA",
    "hotpotqa": "HotpotQA",
    "2wikimultihopqa": "2Wiki",
    "musique": "MuSiQue",
    "bamboogle": "Bamboogle",
}
"""Name of a set, as its folder is called → category of its questions."""
NAMED: Mapping[str, str] = {"squad": "SQuAD", "fanoutqa": "FanOutQA"}
"""Human-written sets beside the seven, in the same way."""
PARTS_OF_FANOUTQA = "FanOutQA-part"
"""The single steps of FanOutQA's questions."""

PUBLISHED: tuple[tuple[str, int, bool], ...] = (
    ("NQ", 3610, False),
    ("TriviaQA", 11313, False),
    ("PopQA", 14267, False),
    ("HotpotQA", 7405, False),
    ("2Wiki", 12576, False),
    ("MuSiQue", 2417, False),
    ("Bamboogle", 125, False),
    ("NQ", 79168, True),
    ("HotpotQA", 90447, True),
)
"""The published items count through these: category, number of questions, whether they are to train on. The test part of a
set is its test file, or its dev file where it has none."""

_HINTS = (
    ("fanout", "FanOutQA"),
    ("squad", "SQuAD"),
    ("hotpot", "HotpotQA"),
    ("2wiki", "2Wiki"),
    ("musique", "MuSiQue"),
    ("bamboogle", "Bamboogle"),
    ("trivia", "TriviaQA"),
    ("popqa", "PopQA"),
    ("nq", "NQ"),
    ("natural", "NQ"),
)


def category_of(name: str) -> str | None:
    """The category of a set that a row, a file or a folder names in one of many ways; None: it names none."""
    known = CATEGORY.get(name.lower()) or NAMED.get(name.lower())
    if known:
        return known
    return next((category for hint, category in _HINTS if re.search(rf"(?<![a-z]){hint}", name.lower())), None)


def place_of(number: int) -> tuple[str, bool, int] | None:
    """Category, whether of the train part, and place in it, of a published item; None: there is none of that number."""
    for category, count, train in PUBLISHED:
        if number < count:
            return category, train, number
        number -= count
    return None
