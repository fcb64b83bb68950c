"""How text becomes terms, the same in building and in searching."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from agentgym_rl.environments.search.extras import optional
from agentgym_rl.environments.search.index.stop_words import STOP_WORDS

ANALYZER = "english-1"
"""Written into every index. Changes with anything that changes a term."""

LONGEST_WORD = 64
"""Characters; the rest of a longer word is not looked at."""
_REMEMBERED = 1 << 16

_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}
_DOMAIN = re.compile(r"\.(?<!\w\.)[a-z]{2}\b")
"""Led by the full stop, which is quick to look for."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese and Korean: a run of them is many words, or words with endings."""
_ACCENTS = re.compile("[\u0300-\u036f]+")


def words(text: str) -> list[str]:
    """The words in lower case: runs of letters, digits and the marks that belong to letters.

    ``.is`` is a word with its full stop, besides ``is``: a domain's name, which would otherwise be a stop word.
    """
    text = text.lower()
    found = text.translate(_BREAKS).split() if text.isascii() else _any_script().findall(text.replace("_", " "))
    return found + _DOMAIN.findall(text)


@lru_cache(_REMEMBERED)
def terms_of_word(word: str) -> tuple[str, ...]:
    """What is indexed for one of :func:`words`: nothing for a stop word, pairs of characters for scripts without spaces, else
    its stem without accents.
    """
    if word.isascii():
        return _plain(word)
    word = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", word))).casefold()
    if not _UNSPACED.search(word):
        return _plain(word)
    found: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        found += _plain(word[end : run.start()])
        found += _pairs(run[0])
        end = run.end()
    return (*found, *_plain(word[end:]))


def terms(text: str) -> list[str]:
    """All terms of a text, in their order, repetitions included."""
    return [term for word in words(text) for term in terms_of_word(word)]


def _plain(word: str) -> tuple[str, ...]:
    if word.startswith("."):  # its letters are a word of their own already
        return (word,) if word[1:] in STOP_WORDS else ()
    return (_stemmer().stemWord(word[:LONGEST_WORD]),) if word and word not in STOP_WORDS else ()


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


@cache
def _stemmer() -> Any:
    return optional("Stemmer", "PyStemmer", "search").Stemmer("english")


@cache
def _any_script() -> re.Pattern[str]:
    """Letters, digits, and the marks that Python does not count as parts of words, such as the vowels of Devanagari."""
    marks = [chr(code) for code in range(1 << 16) if unicodedata.category(chr(code))[0] == "M"]
    return re.compile(rf"[\w{''.join(marks)}]+")
