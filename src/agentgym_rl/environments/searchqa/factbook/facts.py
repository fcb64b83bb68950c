"""The facts of all countries: what each property says, which values name one country alone, who borders whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentgym_rl.environments.searchqa.factbook.properties import PROPERTIES, Answers
from agentgym_rl.environments.searchqa.factbook.source import Entity
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.spans import names

_LENGTH = re.compile(r"\s*(?:\([^)]*\))?\s*[\d,.]+ km\b.*")
_OTHER_NAMES = {
    "US": "United States",
    "UK": "United Kingdom",
    "UAE": "United Arab Emirates",
    "Cote d'Ivoire": "Côte d'Ivoire",
    "Czech Republic": "Czechia",
    "Macedonia": "North Macedonia",
    "Vatican City": "Holy See",
}
"""What border lists call a country → the name of its entry."""
_QUANTITIES = {
    "total area": ("Area", "total", "sq km"),
    "inhabitants": ("Population", "total", ""),
    "coastline": ("Coastline", "", "km"),
}
"""What is compared → field, part, and the unit that its number must have."""
_WORDS = frozenset("al am as at be by de do fm in is it me my na no so to tv uk us".split())  # noqa: SIM905
"""Internet codes that are words as well: no search tells them apart."""
_NUMBER = re.compile(r"([\d,]+(?:\.\d+)?)( million)?")


@dataclass(frozen=True, slots=True)
class Country:
    """What is known of a country. ``facts`` and ``passages`` go by property, ``quantities`` by what is measured."""

    key: str
    name: str
    facts: Mapping[str, Answers]
    descriptors: Mapping[str, str]
    """Property → its value, where no other country has that value."""
    neighbours: tuple[str, ...]
    """Keys of the countries with a land border; both sides say so."""
    quantities: Mapping[str, float]
    passages: Mapping[str, tuple[str, ...]]
    """Name of a field → ids of the passages that hold it."""

    @property
    def asked(self) -> str:
        """The name inside a question."""
        return f"the {self.name}" if self.name.startswith(_WITH_ARTICLE) or self.name.endswith(_PLURAL) else self.name


_WITH_ARTICLE = (
    "United ",
    "Democratic Republic",
    "Republic of",
    "Central African",
    "Dominican",
    "Federated",
    "Holy See",
    "Isle of",
)
_PLURAL = (" Islands", "Netherlands", "Philippines", "Maldives", "Seychelles", "Refuges", " Strip", " Bank")


def countries(entities: Iterable[Entity], passages: Mapping[str, Mapping[str, tuple[str, ...]]]) -> dict[str, Country]:
    """All countries by key. ``passages``: key → field → passage ids."""
    entities = list(entities)
    facts = {entity.key: _facts(entity) for entity in entities}
    used = Counter(
        (name, text) for found in facts.values() for name, answers in found.items() for text in set(map(normalise, answers))
    )
    neighbours = _neighbours(entities)
    return {
        entity.key: Country(
            entity.key,
            entity.name,
            facts[entity.key],
            _descriptors(entity, facts[entity.key], used),
            neighbours[entity.key],
            _quantities(entity),
            passages[entity.key],
        )
        for entity in entities
    }


def _facts(entity: Entity) -> dict[str, Answers]:
    found = {}
    for one in PROPERTIES:
        answers = tuple(dict.fromkeys(one.read(entity.part(one.field, one.part))))
        if answers and all(map(normalise, answers)):
            found[one.name] = answers
    return found


def _descriptors(entity: Entity, facts: Mapping[str, Answers], used: Counter[tuple[str, str]]) -> dict[str, str]:
    """The values that name the country alone, do not contain its name, and can be searched for as a name."""
    found = {}
    for one in PROPERTIES:
        answers = facts.get(one.name, ())
        if not one.describe or not answers:
            continue
        alone = all(used[one.name, normalise(text)] == 1 for text in answers)
        leaks = any(_contains(text, entity.name) or _contains(entity.name, text) for text in answers)
        if (
            alone
            and not leaks
            and answers[0].lstrip(".") not in _WORDS
            and answers[0] in names(f"the country {one.describe.format(answers[0])}?")
        ):
            found[one.name] = answers[0]
    return found


def _contains(text: str, part: str) -> bool:
    return f" {normalise(part)} " in f" {normalise(text)} "


def _neighbours(entities: Iterable[Entity]) -> dict[str, tuple[str, ...]]:
    by_name = {entity.name: entity.key for entity in entities}
    claims = {entity.key: _claimed(entity.part("Land boundaries", "border countries"), by_name) for entity in entities}
    return {key: tuple(other for other in found if key in claims[other]) for key, found in claims.items()}


def _claimed(text: str, by_name: Mapping[str, str]) -> list[str]:
    pieces = re.split(r"[;,] |(?<=km) and ", re.sub(r"\([^)]*\)", "", text))
    told = [_LENGTH.sub("", piece).strip() for piece in pieces]
    return [by_name[name] for name in (_OTHER_NAMES.get(one, one) for one in told) if name in by_name]


def _quantities(entity: Entity) -> dict[str, float]:
    found = {}
    for name, (field, part, unit) in _QUANTITIES.items():
        text = entity.part(field, part)
        number = _NUMBER.match(text)
        if number and text[number.end() :].lstrip().startswith(unit):
            value = float(number[1].replace(",", "")) * (1e6 if number[2] else 1)
            if value > 0:
                found[name] = value
    return found
