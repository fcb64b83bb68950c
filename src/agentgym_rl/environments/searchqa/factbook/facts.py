"""The facts of all countries: what each property says, which values name one country alone, who borders whom."""

from __future__ import annotations

import re
import unicodedata
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
_WORD = re.compile(r"[^\W_]+")
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
    claims: tuple[str, ...]
    """Keys of those with a land border by the word of either side: disputed ones too."""
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
    said = {one.name: {entity.key: _plain(entity.part(one.field, one.part)) for entity in entities} for one in PROPERTIES}
    borders = _borders(entities)
    return {
        entity.key: Country(
            entity.key,
            entity.name,
            facts[entity.key],
            _descriptors(entity, facts[entity.key], said),
            *borders[entity.key],
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


def _descriptors(entity: Entity, facts: Mapping[str, Answers], said: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The values that name the country alone, do not contain its name, and can be searched for as a name.

    ``said``: property → country → its whole text. A value that stands anywhere in another country's does not name one alone.
    """
    found = {}
    for one in PROPERTIES:
        answers = facts.get(one.name, ())
        if not one.describe or not answers:
            continue
        others = [text for key, text in said[one.name].items() if key != entity.key]
        alone = not any(_plain(text) in other for text in answers for other in others)
        leaks = any(_contains(text, entity.name) or _contains(entity.name, text) for text in answers)
        if (
            alone
            and not leaks
            and answers[0].lstrip(".") not in _WORDS
            and answers[0] in names(f"the country {one.describe.format(answers[0])}?")
        ):
            found[one.name] = answers[0]
    return found


def _plain(text: str) -> str:
    """Lower-case words between spaces, without accents; with what stands in parentheses."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(one))
    return f" {' '.join(_WORD.findall(bare))} "


def _contains(text: str, part: str) -> bool:
    return f" {normalise(part)} " in f" {normalise(text)} "


def _borders(entities: Iterable[Entity]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Key → the neighbours that both sides name, those that one of them names at least."""
    by_name = {entity.name: entity.key for entity in entities}
    told = {entity.key: _claimed(entity.part("Land boundaries", "border countries"), by_name) for entity in entities}
    back = {key: [other for other in told if key in told[other]] for key in told}
    return {
        key: (tuple(other for other in found if other in back[key]), tuple(dict.fromkeys([*found, *back[key]])))
        for key, found in told.items()
    }


def _claimed(text: str, by_name: Mapping[str, str]) -> list[str]:
    pieces = re.split(r"[;,] |(?<=km) and ", re.sub(r"\([^)]*\)", "", text))
    told = [_LENGTH.sub("", piece).strip() for piece in pieces]
    found = (_OTHER_NAMES.get(one, one) for one in told)
    return list(dict.fromkeys(by_name[name] for name in found if name in by_name))


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
