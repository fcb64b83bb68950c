"""The corpus: fields of an entity side by side, about 90 words a passage."""

from __future__ import annotations

from collections.abc import Iterator

from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.environments.searchqa.factbook.source import Entity, Field

WORDS = 125
"""Most words of a passage's text; a longer field is cut into several."""
ALSO = {
    "Area": "total area",
    "Capital": "capital city",
    "Civil aircraft registration country code prefix": "aircraft registration prefix",
    "Coastline": "length of the coastline",
    "Elevation": "highest point, lowest point",
    "Exchange rates": "currency",
    "Independence": "independence date",
    "Internet country code": "internet domain",
    "Land boundaries": "land border with neighbours",
    "Legislative branch": "name of the legislature",
    "National anthem(s)": "national anthem, lyrics, music",
    "National symbol(s)": "national symbol",
    "Population": "inhabitants",
}
"""What people call a field besides its name. It stands in the title and the text, where a search finds it."""


def passages(entity: Entity) -> Iterator[tuple[Passage, tuple[str, ...]]]:
    """The passages of an entity, each with the names of the fields it holds."""
    for number, (names, lines) in enumerate(_groups(entity)):
        contents = f"{entity.name}: {', '.join(map(_label, names))}\n" + "\n".join(lines)
        yield Passage(f"{entity.key}/{number}", contents), names


def _groups(entity: Entity) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    names: list[str] = []
    lines: list[str] = []
    words = 0
    section = ""
    for field in entity.fields:
        for line in _lines(entity.name, field):
            size = len(line.split())
            if lines and (words + size > WORDS or field.section != section):
                yield tuple(names), lines
                names, lines, words = [], [], 0
            section = field.section
            words += size
            lines.append(line)
            if field.name not in names:
                names.append(field.name)
    if lines:
        yield tuple(names), lines


def _lines(entity: str, field: Field) -> Iterator[str]:
    """The field as lines ``Country - Name: part: text; part: text`` of at most WORDS words, cut behind punctuation if possible."""
    text = "; ".join(filter(None, [field.text, *(_part(key, value) for key, value in field.parts.items())]))
    words = text.split()
    label = f"{entity} - {_label(field.name)}"
    room = WORDS - len(label.split()) - 1
    while len(words) > room:
        end = next((end for end in range(room, room // 2, -1) if words[end - 1][-1] in ".;,"), room)
        yield f"{label}: {' '.join(words[:end])}"
        words = words[end:]
    yield f"{label}: {' '.join(words)}"


def _label(name: str) -> str:
    return f"{name} ({ALSO[name]})" if name in ALSO else name


def _part(key: str, value: str) -> str:
    """``key: value``; some values repeat the end of their key, and notes and currencies say more than they need to."""
    last = key.rpartition(": ")[2]
    value = value.removeprefix(f"{last}: ").removesuffix(" per US dollar -")
    return value if value.startswith("note:") else f"{key}: {value}"
