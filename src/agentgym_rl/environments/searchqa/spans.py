"""Phrases of a text that can be searched for: names, and what is asked of them. No dictionary, no model: word shapes alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"[\"“]([^\"“”]{1,120})[\"”]|(?<![\w.])(\.[a-z]{2,3})(?![\w.])|(\d+(?:[.,]\d+)*(?!\w)|[^\W_][\w'’\-]*)|([^\w\s])"
)
"""A quoted phrase, an internet domain, a word, or a punctuation mark."""
_JOINS = frozenset("of the de la las los du des del da do di al an el na ar bin von van y sur les ti on".split())  # noqa: SIM905
"""Small words that stand inside names: ``Isle of Man``, ``Pico de Aneto``."""
_FUNCTION_WORDS = frozenset(
    """a about after all also an and any are as at be been before between both but by can could did do does during each either
    for from had has have how i if in into is it its many may more most much name no nor not of on one only or other over share
    shared shares so some such than that the their them then there these they this those to two under until use used uses was
    were what when where which while who whom whose why will with would wrote composed borders gain larger longer greater
    higher smaller happened called""".split()  # noqa: SIM905
)
_TOO_GENERAL = frozenset({"country", "person", "place", "year", "number", "thing", "title", "people"})
_UNITS = frozenset({"km", "m", "sq", "cu", "ha", "nm", "%", "million", "billion", "trillion", "est"})
_MOST_JOINS = 2
_CHOICE = re.compile(r"[,:]\s+([^,:]{1,80}?),? or ([^,:?]{1,80})\?\s*$")
_ARTICLE = re.compile(r"^(?:the|a|an) ")


def names(text: str) -> list[str]:
    """Quoted phrases, internet domains and runs of capitalised words, in order, each once. Quantities are none."""
    found: list[str] = []
    run: list[str] = []
    waiting: list[str] = []
    tokens = list(_tokens(text))
    for (quoted, domain, word, _), following in zip(tokens, [*tokens[1:], ("", "", "", "")], strict=False):
        if _is_name(word) and not (word[0].isdigit() and (following[2] or following[3]) in _UNITS):
            run += [*waiting, word]
            waiting = []
        elif word.lower() in _JOINS and run and len(waiting) < _MOST_JOINS:
            waiting.append(word)
        else:
            _close(run, found)
            run, waiting = [], []
            if quoted or domain:
                found.append(quoted or domain)
    _close(run, found)
    return list(dict.fromkeys(found))


def topics(text: str) -> list[str]:
    """Runs of lower-case words that carry meaning, in order, each once: ``national anthem``, ``highest point``."""
    found: list[str] = []
    run: list[str] = []
    for _, _, word, _ in _tokens(text):
        if word and word[0].islower() and not _is_name(word) and word not in _FUNCTION_WORDS:
            run.append(word)
        else:
            _close(run, found)
            run = []
    _close(run, found)
    return [topic for topic in dict.fromkeys(found) if topic not in _TOO_GENERAL]


def choices(question: str) -> list[str]:
    """The two things that ``…, X or Y?`` lets one choose from; none where a question does not end so."""
    found = _CHOICE.search(question)
    return [_ARTICLE.sub("", side.strip()) for side in found.groups()] if found else []


def _is_name(word: str) -> bool:
    inside = word.partition("'")[2] if word[:2] in ("d'", "l'") else word
    return bool(inside) and (inside[0].isupper() or inside[0].isdigit()) and word.lower() not in _FUNCTION_WORDS


def _tokens(text: str) -> Iterator[tuple[str, str, str, str]]:
    for match in _TOKEN.finditer(text):
        yield match[1] or "", match[2] or "", match[3] or "", match[4] or ""


def _close(run: list[str], found: list[str]) -> None:
    if run:
        found.append(" ".join(run))
