"""From MediaWiki's markup to the text that a reader sees, without tables, boxes, notes and pictures."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DROPPED = re.compile(
    r"<(ref|references|math|gallery|timeline|score|syntaxhighlight|source|pre|imagemap|templatestyles|style|script)\b"
    r"(?:[^<>]*/>|[^<>]*>.*?(?:</\1\s*>|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\||\|\}).)*\|\}", re.DOTALL)
_LINK = re.compile(r"\[\[((?:[^\[\]]|\[(?!\[)[^\[\]]*\])*)\]\]")
_OUTSIDE = re.compile(r"\[(?:https?:)?//[^\s\[\]]+ ?([^\[\]]*)\]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_HEADING = re.compile(r"^(={2,6})\s*(.+?)\s*\1\s*$", re.MULTILINE)
_LEFT_OVER = re.compile(r"__[A-Z]+__|\{\{|\}\}|^\s*[|!{].*$|^[*#:;]+\s*", re.MULTILINE)
_QUOTES = re.compile(r"'{2,5}")
_SPACES = re.compile(r"[^\S\n]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)?")

_DEEPEST = 40
"""Templates and links in one another; beyond it they are left as they are."""
_LAST_ARGUMENT = {"lang", "transl", "transliteration", "nowrap", "small", "nobold", "em", "mvar", "abbr"}
_QUANTITIES = {"convert", "cvt"}
_UNREAD = {
    "references",
    "external links",
    "see also",
    "further reading",
    "notes",
    "bibliography",
    "sources",
    "notes and references",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Of an article."""

    heading: str
    """Empty at its beginning."""
    text: str
    """Paragraphs and items of lists, a line each."""


def sections(markup: str, unseen: frozenset[str]) -> Iterator[Section]:
    """The sections that have text. ``unseen``: names of the namespaces whose links show no text, such as ``File``."""
    text = _DROPPED.sub(" ", _COMMENT.sub("", markup))
    names = {name.casefold() for name in unseen}
    text = _repeated(_LINK, lambda link: _of_link(link, names), text)  # first: their pipes are none of a template's
    text = _repeated(_TEMPLATE, _of_template, text)
    text = _repeated(_TABLE, lambda _: "", text)
    heading = ""
    end = 0
    for found in [*_HEADING.finditer(text), None]:
        if heading.casefold() not in _UNREAD and (seen := _seen(text[end : found.start() if found else len(text)])):
            yield Section(heading, seen)
        if found:
            heading, end = _seen(found[2]), found.end()


def _repeated(pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str], text: str) -> str:
    """From the innermost to the outermost."""
    for _ in range(_DEEPEST):
        text, count = pattern.subn(replace, text)
        if not count:
            break
    return text


def _of_template(found: re.Match[str]) -> str:
    name, *arguments = (part.strip() for part in found[1].split("|"))
    plain = [argument for argument in arguments if "=" not in argument]
    if name.casefold() in _QUANTITIES:
        return " ".join(plain[:2])
    if plain and (name.casefold() in _LAST_ARGUMENT or name.casefold().startswith("lang-")):
        return plain[-1]
    return ""


def _of_link(found: re.Match[str], unseen: set[str]) -> str:
    target, _, label = found[1].partition("|")
    space, colon, _ = target.partition(":")
    if colon and (space.strip().casefold() in unseen or _LANGUAGE.fullmatch(space)):
        return ""
    return label or target.removeprefix(":")


def _seen(text: str) -> str:
    text = html.unescape(_TAG.sub("", _OUTSIDE.sub(r"\1", text)))
    text = _LEFT_OVER.sub("", _QUOTES.sub("", text))
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
