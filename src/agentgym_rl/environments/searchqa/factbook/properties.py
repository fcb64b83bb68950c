"""What can be asked of a country, and how its answer is read out of the Factbook's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

Answers = tuple[str, ...]
"""All ways to write an answer, the one to show first; empty: this cannot be asked."""

_NOTHING = re.compile(
    r"\b(?:none|unknown|unnamed|traditional|multiple|no lyrics|anonymous|various|adapted|based)\b", re.IGNORECASE
)
_HEIGHT = re.compile(r"\s-?[\d,.]+ m\b.*")
_SHARED_WATER = re.compile(r"\b(?:Ocean|Sea|Gulf|Bay|Bight|Strait|Channel|Sound)\b")
_DATE = re.compile(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})(?: \([^;]*\))?")
_CURRENCY = re.compile(r"([^()]+) \(([A-Z]{3})\)")
_PARENTHESIS = re.compile(r"\s*\(([^()]*)\)")
_SEVERAL = re.compile(r"[;:,/\d]|\b(?:and|or|note|than|was|in|on|of which)\b")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_ROMAN = re.compile(r"[IVX]+")


@dataclass(frozen=True, slots=True)
class Property:
    """Something that is asked, ``ask`` with the country's name, and may describe a country, ``describe`` with its value."""

    name: str
    field: str
    part: str
    read: Callable[[str], Answers]
    ask: str
    describe: str
    topic: str
    """The words of ``ask`` and ``describe`` to search with."""


def name_of(text: str) -> Answers:
    """One name, and the one in parentheses behind it. Several, or a remark, are nothing."""
    inside = _PARENTHESIS.findall(text)
    outside = _PARENTHESIS.sub("", text).strip()
    if not outside or _NOTHING.search(text) or _SEVERAL.search(outside) or len(outside.split()) > 7:
        return ()
    return (
        outside,
        *(one for one in inside if len(inside) == 1 and one[:1].isupper() and ";" not in one and ":" not in one),
    )


def peak_of(text: str) -> Answers:
    """The name of a peak, without its height."""
    name = _HEIGHT.sub("", text)
    return name_of(name) if name != text and name[:1].isupper() and not _NOTHING.search(text) else ()


def depth_of(text: str) -> Answers:
    """The name of the lowest point; seas are shared by too many."""
    return () if _SHARED_WATER.search(text) else peak_of(text)


def title_of(text: str) -> Answers:
    """One title in quotation marks, and its translation in parentheses."""
    titles = _QUOTED.findall(_PARENTHESIS.sub("", text))
    if len(titles) != 1 or _NOTHING.search(text):
        return ()
    return (titles[0].strip(" ,"), *(one.strip(' "“”') for one in _PARENTHESIS.findall(text)[:1] if ";" not in one))


def person_of(text: str) -> Answers:
    """One person, the surname no longer in capitals."""
    if _NOTHING.search(text) or re.search(r"[,;()\"“”\d/]|\b(?:and|or)\b", text) or not 2 <= len(text.split()) <= 6:
        return ()
    return (" ".join(_surname(word) for word in text.split()),)


def lyricist_of(text: str) -> Answers:
    """Who stands before the stroke of ``words/music``."""
    before, _, _ = text.partition("/")
    return person_of(before.strip())


def composer_of(text: str) -> Answers:
    """Who stands behind the stroke of ``words/music``."""
    _, _, behind = text.partition("/")
    return person_of(behind.strip())


def currency_of(text: str) -> Answers:
    """``euros``, ``euro``, ``EUR``."""
    found = _CURRENCY.match(text)
    if not found:
        return ()
    many, code = found[1], found[2]
    return (many, *((many.removesuffix("s"),) if many.endswith("s") else ()), code)


def domain_of(text: str) -> Answers:
    """``.bg``."""
    return (text,) if re.fullmatch(r"\.[a-z]{2,3}", text) else ()


def prefix_of(text: str) -> Answers:
    """``5N``."""
    return (text,) if re.fullmatch(r"[A-Z0-9]{2}", text) else ()


def date_of(text: str) -> Answers:
    """One whole date, ``1 October 1960`` or ``October 1, 1960``."""
    found = _DATE.fullmatch(text.strip())
    return (f"{found[1]} {found[2]} {found[3]}", f"{found[2]} {found[1]}, {found[3]}") if found else ()


def symbol_of(text: str) -> Answers:
    """One symbol."""
    return () if "," in text or len(text.split()) > 4 else name_of(text)


def _surname(word: str) -> str:
    return "-".join(
        part.capitalize() if part.isupper() and len(part) > 1 and "." not in part and not _ROMAN.fullmatch(part) else part
        for part in word.split("-")
    )


PROPERTIES = (
    Property("capital", "Capital", "name", name_of, "What is the capital of {}?", "whose capital is {}", "capital"),
    Property(
        "anthem",
        "National anthem(s)",
        "title",
        title_of,
        "What is the title of the national anthem of {}?",
        'whose national anthem is "{}"',
        "national anthem",
    ),
    Property(
        "lyricist",
        "National anthem(s)",
        "lyrics/music",
        lyricist_of,
        "Who wrote the lyrics of the national anthem of {}?",
        "whose national anthem has lyrics by {}",
        "lyrics",
    ),
    Property(
        "composer",
        "National anthem(s)",
        "lyrics/music",
        composer_of,
        "Who composed the music of the national anthem of {}?",
        "whose national anthem has music by {}",
        "music",
    ),
    Property(
        "highest point",
        "Elevation",
        "highest point",
        peak_of,
        "What is the highest point of {}?",
        "whose highest point is {}",
        "highest point",
    ),
    Property(
        "lowest point",
        "Elevation",
        "lowest point",
        depth_of,
        "What is the lowest point of {}?",
        "whose lowest point is {}",
        "lowest point",
    ),
    Property("currency", "Exchange rates", "Currency", currency_of, "What is the currency of {}?", "", "currency"),
    Property(
        "domain",
        "Internet country code",
        "",
        domain_of,
        "What is the internet country code of {}?",
        "whose internet country code is {}",
        "internet country code",
    ),
    Property(
        "aircraft prefix",
        "Civil aircraft registration country code prefix",
        "",
        prefix_of,
        "What is the aircraft registration prefix of {}?",
        "whose aircraft registration prefix is {}",
        "aircraft registration prefix",
    ),
    Property(
        "legislature",
        "Legislative branch",
        "legislature name",
        name_of,
        "What is the name of the legislature of {}?",
        "",
        "legislature",
    ),
    Property("symbol", "National symbol(s)", "", symbol_of, "What is the national symbol of {}?", "", "national symbol"),
    Property("independence", "Independence", "", date_of, "What is the independence date of {}?", "", "independence date"),
)
"""Property and the family of questions it takes part in; without ``describe`` it only ends chains."""
