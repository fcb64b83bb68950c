"""How text becomes terms, the same in building and in searching."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache, lru_cache
from typing import Any

from agentgym_rl.environments.search.index.stop_words import STOP_WORDS

ANALYZER = "english-1"
"""Written into every index. Changes with anything that changes a term."""

LONGEST_WORD = 64
"""Of longer words this many characters count."""
_REMEMBERED = 1 << 16

_ASCII = re.compile(r"\B\.[a-z]{2}\b|[^\W_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese and Korean: a run of them is many words, or words with endings."""
_ACCENTS = re.compile("[\u0300-\u036f]+")


def words(text: str) -> list[str]:
    """The words as written, in lower case: runs of letters, digits and the marks that belong to letters.

    ``.is`` is one word, with its full stop: a domain's name, which would otherwise be a stop word.
    """
    return (_ASCII if text.isascii() else _any_script()).findall(text.lower())


@lru_cache(_REMEMBERED)
def terms_of_word(word: str) -> tuple[str, ...]:
    """What is indexed for one of :func:`words`: nothing for a stop word, pairs of characters for scripts without spaces, else
    its stem without accents.
    """
    word = word[:LONGEST_WORD]
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
    bare = word.removeprefix(".")
    if bare in STOP_WORDS:
        return (word,) if word != bare else ()
    return (_stemmer().stemWord(bare),) if bare else ()


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@cache
def _any_script() -> re.Pattern[str]:
    """As for ASCII, with the marks that Python does not count as parts of words, such as the vowels of Devanagari."""
    marks = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] == "M"]
    return re.compile(rf"\B\.[a-z]{{2}}\b|(?:[^\W_]|[{''.join(map(chr, marks))}])+")
