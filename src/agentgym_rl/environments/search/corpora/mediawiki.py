"""MediaWiki's XML dumps: articles become passages of about a hundred words, titled ``Article`` or ``Article: Section``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, iterparse

from agentgym_rl.environments.search.corpora.row import Bad
from agentgym_rl.environments.search.corpora.wikitext import Section, sections
from agentgym_rl.environments.search.retrieval import Passage

WORDS = 100
"""Of a passage, unless one sentence has more. A last piece with less than a third joins the one before."""

_ARTICLES, _FILES, _CATEGORIES = "0", "6", "14"
"""Keys of namespaces."""
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")


def read_mediawiki(stream: BinaryIO) -> Iterator[Passage | Bad]:
    """Articles only: no redirects, talk, templates, or pages that are not wikitext. Raises ParseError: it is no XML, or cut."""
    unseen = {"File", "Image", "Category"}
    number = 0
    root: Element | None = None
    for event, element in iterparse(stream, ("start", "end")):
        if root is None:
            root = element
            if _name(root) != "mediawiki":
                raise ValueError(f"<{_name(root)}>, not a MediaWiki dump")
        if event == "start":
            continue
        if _name(element) == "namespace" and element.get("key") in (_FILES, _CATEGORIES) and element.text:
            unseen.add(element.text)
        elif _name(element) == "page":
            number += 1
            yield from _page(element, f"page {number}", frozenset(unseen))
            root.clear()


def _page(page: Element, place: str, unseen: frozenset[str]) -> Iterator[Passage | Bad]:
    said = {_name(part): part.text or "" for part in page.iter()}
    if said.get("ns", _ARTICLES) != _ARTICLES or "redirect" in said or said.get("model", "wikitext") != "wikitext":
        return
    title = said.get("title", "").strip()
    id = next((part.text for part in page if _name(part) == "id"), None)  # the revision has an id, too
    if not title or not id:
        yield Bad(place, "no title" if id else "no id")
        return
    count = 0
    for section in sections(said.get("text", ""), unseen):
        heading = f"{title}: {section.heading}" if section.heading else title
        for text in _pieces(section):
            yield Passage(f"{id}-{count}", f"{heading}\n{text}")
            count += 1


def _pieces(section: Section) -> list[str]:
    pieces: list[list[str]] = []
    words = WORDS
    for sentence in filter(None, map(str.strip, _SENTENCE.split(section.text))):
        size = len(sentence.split())
        if words + size > WORDS:
            pieces.append([])
            words = 0
        pieces[-1].append(sentence)
        words += size
    if len(pieces) > 1 and words < WORDS // 3:
        pieces[-2:] = [pieces[-2] + pieces[-1]]
    return [" ".join(piece) for piece in pieces]


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
