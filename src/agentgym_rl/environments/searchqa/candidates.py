"""Short phrases of passages that could be answers, those first whose surroundings the question speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentgym_rl.environments.searchqa import spans
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.results import Shown, stems

MOST_WORDS = 8
_CLAUSE = re.compile(r"; ")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_PARENTHESIS = re.compile(r"\s*\(([^()]*)\)")
_MEASURE = re.compile(r"\s-?[\d,.]+ (?:sq )?k?m\b.*")


def candidates(question: str, found: Sequence[Shown]) -> list[str]:
    """Candidate answers, the likeliest first, each once by its normalised form.

    A phrase counts by the words that its label, its line's label and its line share with what the question asks, the first
    thing asked for before the others. What the question already says is no candidate.
    """
    asked = [stems(topic) for topic in spans.topics(question)]
    said = f" {normalise(question)} "
    ranked: dict[str, tuple[tuple[float, int], str]] = {}
    for place, (phrase, label, head) in enumerate(_phrases(found)):
        key = normalise(phrase)
        if not key or len(phrase.split()) > MOST_WORDS or f" {key} " in said:
            continue
        fit = sum((2 * _share(topic, label) + _share(topic, head)) / (1 + rank) for rank, topic in enumerate(asked))
        if key not in ranked or -fit < ranked[key][0][0]:
            ranked[key] = ((-fit, place), phrase)
    return [phrase for _, phrase in sorted(ranked.values())]


def _share(topic: set[str], words: set[str]) -> float:
    return len(topic & words) / len(topic) if topic else 0.0


def _phrases(found: Sequence[Shown]) -> Iterator[tuple[str, set[str], set[str]]]:
    """Phrase, words of its label, words of what the label stands in."""
    for one in found:
        yield one.about, set(), set()
        for line in one.lines:
            head, colon, rest = line.partition(": ")
            labelled = bool(colon) and len(head.split()) <= 2 * MOST_WORDS
            label = ""
            for clause in _CLAUSE.split(rest if labelled else line):
                before, colon, value = clause.rpartition(": ")
                if colon and len(before.split()) <= MOST_WORDS:
                    label = before
                else:
                    value = clause
                around = stems(head) if labelled else stems(line)
                for phrase in _values(value):
                    yield phrase, stems(label) if label else around, around


def _values(text: str) -> Iterator[str]:
    outside = _PARENTHESIS.sub("", text)
    yield from (quoted.strip(" ,") for quoted in _QUOTED.findall(outside))
    bare = _MEASURE.sub("", outside.replace('"', "")).strip(" .,-")
    for part in bare.split("/"):
        yield part.strip()
    pieces = bare.split(", ")
    if len(pieces) > 1:
        yield from pieces
    yield from (inside.strip(' "“”') for inside in _PARENTHESIS.findall(text))
    yield from spans.names(text)
