"""Questions from facts: single hop, bridges of two and three hops, intersections, comparisons.

Every choice is made by SHA-256 of what is chosen, so the questions are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from agentgym_rl.environments.searchqa.factbook.facts import Country
from agentgym_rl.environments.searchqa.factbook.properties import PROPERTIES, Answers, Property
from agentgym_rl.environments.searchqa.factbook.splits import split_of_country
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.question import Hop
from agentgym_rl.environments.searchqa.shares import share
from agentgym_rl.environments.task_set import SPLITS

BORDER = "Land boundaries"
_BY_NAME = {one.name: one for one in PROPERTIES}
COMPARED = {
    "total area": ("Area", "Which has the larger total area, {} or {}?"),
    "inhabitants": ("Population", "Which has more inhabitants, {} or {}?"),
    "coastline": ("Coastline", "Which has the longer coastline, {} or {}?"),
}
"""What is compared → the field it stands in, and how it is asked."""
_RATIO = 1.25
"""Compared quantities differ by this factor at least: estimates of another year do not turn the answer round."""
_BRIDGES_KEPT = 0.8
_COMPARISONS_KEPT = {"train": 0.015, "validation": 0.2, "test": 0.08}
"""The shares of all possible bridges and, within a split, comparisons that are used: the families stay of one order."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question before it has a split."""

    family: str
    text: str
    answers: Answers
    hops: tuple[Hop, ...]
    starts: tuple[str, ...]
    """Keys of the countries that the question sets out from."""
    reaches: tuple[str, ...]
    """Keys of the countries it comes by after that."""
    pair: tuple[str, str] | None = None
    """Of a bridge: what describes the country, and what is asked of it."""


def drafts(countries: Mapping[str, Country]) -> Iterator[Draft]:
    """All questions of the five families whose answer does not stand in the question."""
    for make in (_single, _bridge_2, _bridge_3, _intersection, _comparison):
        for draft in make(countries):
            if draft.family == "comparison" or not _gives_away(draft):
                yield draft


def _single(countries: Mapping[str, Country]) -> Iterator[Draft]:
    for country in countries.values():
        for name, answers in country.facts.items():
            one = _BY_NAME[name]
            yield Draft(
                "single", one.ask.format(country.asked), answers, (_hop(country.name, one, country),), (country.key,), ()
            )


def _bridge_2(countries: Mapping[str, Country]) -> Iterator[Draft]:
    for country in countries.values():
        for first, value in country.descriptors.items():
            by = _BY_NAME[first]
            for name, answers in country.facts.items():
                one = _BY_NAME[name]
                if one.field == by.field or share("bridge-2", country.key, first, name) >= _BRIDGES_KEPT:
                    continue
                text = one.ask.format(f"the country {by.describe.format(value)}")
                hops = (_hop(value, by, country), _hop(country.name, one, country))
                yield Draft("bridge-2", text, answers, hops, (country.key,), (), (first, name))


def _bridge_3(countries: Mapping[str, Country]) -> Iterator[Draft]:
    for country in countries.values():
        if len(country.neighbours) != 1 or country.claims != country.neighbours:
            continue
        end = countries[country.neighbours[0]]
        for first, value in country.descriptors.items():
            by = _BY_NAME[first]
            for name, answers in end.facts.items():
                one = _BY_NAME[name]
                text = one.ask.format(
                    f"the only country that shares a land border with the country {by.describe.format(value)}"
                )
                hops = (_hop(value, by, country), _border(country), _hop(end.name, one, end))
                yield Draft("bridge-3", text, answers, hops, (country.key,), (end.key,))


def _intersection(countries: Mapping[str, Country]) -> Iterator[Draft]:
    between: dict[tuple[str, str], list[str]] = {}
    for country in countries.values():
        for pair in combinations(sorted(country.claims), 2):
            between.setdefault(pair, []).append(country.key)
    for pair, found in between.items():
        if len(found) == 1 and set(pair) <= set(countries[found[0]].neighbours):
            # the chain starts from the one whose split comes last, so that training has none of the others
            first, second = sorted(pair, key=lambda key: (-SPLITS.index(split_of_country(key)), share("order", *pair, key)))
            left, right, end = countries[first], countries[second], countries[found[0]]
            text = f"Which country has a land border with both {left.asked} and {right.asked}?"
            yield Draft("intersection", text, (end.name,), (_border(left), _border(right)), (first,), (second, end.key))


def _comparison(countries: Mapping[str, Country]) -> Iterator[Draft]:
    for quantity, (field, ask) in COMPARED.items():
        for pair in combinations(sorted(countries), 2):
            split = split_of_country(pair[0])
            if split != split_of_country(pair[1]) or share("comparison", quantity, *pair) >= _COMPARISONS_KEPT[split]:
                continue
            sides = sorted((countries[key] for key in pair), key=lambda side: share("order", quantity, *pair, side.key))
            if not all(quantity in side.quantities for side in sides):
                continue
            smaller, larger = sorted(sides, key=lambda side: side.quantities[quantity])
            if larger.quantities[quantity] < _RATIO * smaller.quantities[quantity]:
                continue
            text = ask.format(sides[0].asked, sides[1].asked)
            hops = tuple(Hop(_queries(side.name, quantity), side.passages[field]) for side in sides)
            yield Draft("comparison", text, (larger.name,), hops, pair, ())


def _hop(name: str, one: Property, country: Country) -> Hop:
    return Hop(_queries(name, one.topic), country.passages[one.field])


def _border(country: Country) -> Hop:
    return Hop(_queries(country.name, "land border"), country.passages[BORDER])


def _queries(name: str, topic: str) -> tuple[str, ...]:
    return (f"{name} {topic}", name)


def _gives_away(draft: Draft) -> bool:
    text = f" {normalise(draft.text)} "
    return any(f" {normalise(answer)} " in text for answer in draft.answers)
