"""What a search shows: passages made harmless, cut to a budget of tokens, inside one information block."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym_rl.environments.search.retrieval import Hit, Passage

_SENTENCE = re.compile(r"(?<=[\w)\"”]{3}[.!?]) (?=[A-Z\"“(])")
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[^\W\d_]{1,6}|\d|(?:[^\w\s]|_)+")
_STEM = 5
"""Letters by which words are compared: ``borders`` and ``border`` are one."""
_TITLE = 4
"""A title may have one in so many of a passage's tokens."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as it was shown."""

    id: str
    about: str
    """What the passage is about: its title up to a colon, whole."""
    title: str
    """As shown: cut where it was too long."""
    lines: tuple[str, ...]
    """Lines or sentences, in order."""
    cut: int
    """Words left out of the text."""


def harmless(text: str) -> str:
    """Text that no reader of tags or turns can take for one: no angle brackets, no control characters, one line."""
    text = text.replace("<", "‹").replace(">", "›")
    return " ".join("".join(" " if unicodedata.category(one)[0] == "C" else one for one in text).split())


def tokens(text: str) -> int:
    """About how many tokens a language model reads: a world knows no tokenizer. Six letters, a digit or a run of signs is one."""
    return len(_TOKEN.findall(text))


def shown(hits: Sequence[Hit], query: str, budget: int) -> list[Shown]:
    """The hits, cut to ``budget`` tokens together: each gets an equal share, and what one leaves the later ones may use."""
    found: list[Shown] = []
    for place, hit in enumerate(hits):
        one = _cut(hit.passage, query, budget // (len(hits) - place))
        budget -= sum(map(tokens, (one.title, *one.lines)))
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


def _cut(passage: Passage, query: str, budget: int) -> Shown:
    """The lines that fit the query best, in their order, as far as the budget goes; then the next line's beginning.

    What a line repeats of the title's subject (``Chad - Capital: …``) is left out.
    """
    whole = harmless(passage.title)
    about = whole.partition(": ")[0]
    title = whole if tokens(whole) <= budget // _TITLE else f"{_beginning(whole, budget // _TITLE) or about} …"
    pieces = (harmless(piece) for part in passage.text.split("\n") for piece in _SENTENCE.split(part))
    lines = [line.removeprefix(f"{about} - ") for line in pieces if line]
    wanted = stems(query) - stems(about)
    left = budget - tokens(title)
    kept: dict[int, str] = {}
    for place in sorted(range(len(lines)), key=lambda place: (-_fit(lines[place], wanted), place)):
        line = _beginning(lines[place], left)
        if not line:
            break
        kept[place] = line
        left -= tokens(line)
    chosen = tuple(kept[place] for place in sorted(kept))
    words = (sum(len(line.split()) for line in some) for some in (lines, chosen))
    return Shown(passage.id, about, title, chosen, next(words) - next(words))


def _fit(line: str, wanted: set[str]) -> int:
    """How many wanted words stand in a line; those in its label, up to the colon, count three times."""
    label = line.partition(": ")[0] if ": " in line else ""
    return len(wanted & stems(line)) + 2 * len(wanted & stems(label))


def _beginning(text: str, budget: int) -> str:
    """As many whole words as the budget allows."""
    if tokens(text) <= budget:
        return text
    end = 0
    for match in re.finditer(r"\S+", text):
        budget -= tokens(match[0])
        if budget < 0:
            break
        end = match.end()
    return text[:end]
