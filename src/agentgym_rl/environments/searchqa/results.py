"""What a search shows: passages made harmless, cut to a budget of words, inside one information block."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_rl.environments.search.retrieval import Hit, Passage

_SENTENCE = re.compile(r"(?<=[\w)\"”]{3}[.!?]) (?=[A-Z\"“(])")
_WORD = re.compile(r"\w+")
_STEM = 5
"""Letters by which words are compared: ``borders`` and ``border`` are one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as it was shown."""

    id: str
    title: str
    lines: tuple[str, ...]
    """Lines or sentences, in order."""
    cut: int
    """Words left out."""


def harmless(text: str) -> str:
    """Text that no reader of tags or turns can take for one: no angle brackets, no control characters, one line."""
    text = text.replace("<", "‹").replace(">", "›")
    return " ".join("".join(" " if unicodedata.category(one)[0] == "C" else one for one in text).split())


def shown(hits: Sequence[Hit], query: str, words: int) -> list[Shown]:
    """The hits, cut to ``words`` together: each gets an equal share, and what one leaves the later ones may use."""
    found: list[Shown] = []
    for place, hit in enumerate(hits):
        one = _cut(hit.passage, query, words // (len(hits) - place))
        words -= sum(len(line.split()) for line in one.lines)
        found.append(one)
    return found


def block(found: Sequence[Shown]) -> str:
    """The information block: a passage a line, and how much of it was cut."""
    lines = []
    for number, one in enumerate(found, 1):
        cut = f" [... {one.cut} words cut]" if one.cut else ""
        lines.append(f"Doc {number} (Title: {one.title}) {' | '.join(one.lines)}{cut}")
    return "\n".join(["<information>", *lines, "</information>"])


def stems(text: str) -> set[str]:
    """The beginnings of the words of a text."""
    return {word[:_STEM] for word in _WORD.findall(text.lower())}


def _cut(passage: Passage, query: str, words: int) -> Shown:
    """The lines that share most words with the query, in their order, as far as the budget goes; then the next line's beginning."""
    lines = [harmless(line) for part in passage.text.split("\n") for line in _SENTENCE.split(part) if line.strip()]
    sizes = [len(line.split()) for line in lines]
    wanted = stems(query)
    best = sorted(range(len(lines)), key=lambda place: (-len(wanted & stems(lines[place])), place))
    kept: dict[int, str] = {}
    left = words
    for place in best:
        if left <= 0:
            break
        kept[place] = lines[place] if sizes[place] <= left else " ".join(lines[place].split()[:left])
        left -= sizes[place]
    chosen = tuple(kept[place] for place in sorted(kept))
    return Shown(passage.id, harmless(passage.title), chosen, sum(sizes) - sum(len(line.split()) for line in chosen))
