"""A corpus: one file or a folder of files."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError

from agentgym_rl.environments.search.corpora.jsonl import read_jsonl
from agentgym_rl.environments.search.corpora.mediawiki import read_mediawiki
from agentgym_rl.environments.search.corpora.parquet import read_parquet
from agentgym_rl.environments.search.corpora.row import Bad
from agentgym_rl.environments.search.errors import CorpusError
from agentgym_rl.environments.search.retrieval import Passage

Read = Callable[[BinaryIO], Iterator[Passage | Bad]]
Unpack = Callable[[BinaryIO], AbstractContextManager[Any]]

_FORMATS: dict[str, Read] = {"jsonl": read_jsonl, "parquet": read_parquet, "xml": read_mediawiki}
_PACKINGS: dict[str, Unpack] = {
    "gz": lambda raw: gzip.GzipFile(fileobj=raw),
    "bz2": bz2.BZ2File,
}
KNOWN = ".jsonl or .xml (a MediaWiki dump), each also .gz or .bz2; or .parquet"
_FILE = re.compile(r"(.+)\.(?:(jsonl|xml)(?:-p\d+p\d+)?(?:\.(gz|bz2))?|(parquet))")
"""Wikimedia calls the parts of a dump ``….xml-p1p41242.bz2``."""
_UNREADABLE = (OSError, ValueError, EOFError, zlib.error, ParseError)


class Corpus:
    """Its passages, in the order of the files' names and of the lines in them. Each iteration reads the files anew."""

    def __init__(self, path: Path, *, skip_bad: bool = False) -> None:
        """``skip_bad``: go on past malformed passages, and count them.

        Raises:
            CorpusError: there is nothing, or nothing in a known format.
        """
        self._files = _files(path)
        self._skip_bad = skip_bad
        self._sizes = [file.stat().st_size for file in self._files]
        self._read_bytes = 0
        self._open: BinaryIO | None = None
        self.name = _name(path)
        self.bad = 0
        """Malformed passages that were left out in the last iteration."""
        self.first_bad: str | None = None
        """File, place and reason of the first of them."""

    @property
    def fraction(self) -> float:
        """How much of the files the running iteration has read, from 0 to 1."""
        here = self._open.tell() if self._open is not None and not self._open.closed else 0
        return min(1.0, (self._read_bytes + here) / max(1, sum(self._sizes)))

    def __iter__(self) -> Iterator[Passage]:
        """Raises CorpusError: a file can't be read, or (without ``skip_bad``) a passage is malformed."""
        self._read_bytes, self.bad, self.first_bad = 0, 0, None
        for file, size in zip(self._files, self._sizes, strict=True):
            for found in self._rows(file):
                if isinstance(found, Passage):
                    yield found
                    continue
                error = CorpusError(file, found.place, found.reason)
                if not self._skip_bad:
                    raise error
                self.bad += 1
                self.first_bad = self.first_bad or str(error)
            self._read_bytes += size

    def _rows(self, file: Path) -> Iterator[Passage | Bad]:
        read, unpacked = _format(file)
        count = 0
        try:
            with file.open("rb") as self._open, unpacked(self._open) as stream:
                for found in read(stream):
                    yield found
                    count += 1
        except _UNREADABLE as error:
            place = f"after {count} passages" if count else ""
            raise CorpusError(
                file, place, f"can't be read: {' '.join(str(error).split()) or type(error).__name__}"
            ) from error


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file() and _is_known(file))
        if not found:
            raise CorpusError(path, "", f"no corpus in this folder; a file of it ends in {KNOWN}")
        return found
    if not path.exists():
        raise CorpusError(path, "", "no such file; a corpus is a file of passages, or a folder of such files")
    if not _is_known(path):
        raise CorpusError(path, "", f"not a format of corpora: it must end in {KNOWN}")
    return [path]


def _is_known(file: Path) -> bool:
    return _FILE.fullmatch(file.name) is not None


def _format(file: Path) -> tuple[Read, Unpack]:
    found = _FILE.fullmatch(file.name)
    assert found  # only such files are in a corpus
    return _FORMATS[found[2] or found[4]], _PACKINGS[found[3]] if found[3] else nullcontext


def _name(path: Path) -> str:
    found = _FILE.fullmatch(path.name)
    return found[1] if found else path.resolve().name
