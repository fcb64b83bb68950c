"""Where question files lie, and what their names say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentgym_rl.environments.searchqa.cache import searchqa_folder
from agentgym_rl.environments.searchqa.files.errors import QuestionFileError
from agentgym_rl.environments.searchqa.files.rows import is_question_file
from agentgym_rl.environments.searchqa.files.sets import CATEGORY, NAMED, category_of
from agentgym_rl.environments.searchqa.options import FACTBOOK

Part = Literal["train", "dev", "test", "all"]
_PART = re.compile(r"(?<![a-z])(train|dev|valid|validation|val|test)(?![a-z])")
_PARTS: dict[str, Part] = {"train": "train", "test": "test"}


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file and what it holds, unless its rows say otherwise."""

    path: Path
    category: str
    part: Part


def sets_folder() -> Path:
    """Where the sets lie that are named and not given as a path: a folder each."""
    return searchqa_folder() / "questions"


def present() -> dict[str, list[str]]:
    """Which of the seven sets lie in :func:`sets_folder`: name → its files, relative to its folder; empty where there are none."""
    return {name: _names(sets_folder() / name) for name in CATEGORY}


def _names(folder: Path) -> list[str]:
    found = sorted(path for path in folder.rglob("*") if is_question_file(path))
    return [str(path.relative_to(folder)) for path in found]


def files_of(source: str) -> list[QuestionFile]:
    """The files of a set's name, a file, or a folder with everything below it; sorted.

    Raises:
        QuestionFileError: there are none; says where to put them.
    """
    known = source.lower() in CATEGORY or source.lower() in NAMED
    where = sets_folder() / source.lower() if known else Path(source).expanduser()
    found = sorted(path for path in where.rglob("*") if is_question_file(path)) if where.is_dir() else [where]
    if not found or not found[0].is_file():
        told = "holds no question file" if where.is_dir() else "there is no such file or folder"
        raise QuestionFileError(where, "", f"{told}; {_ways(source, known)}")
    return [_file(path) for path in found]


def part_of(name: str) -> Part:
    """What a name says: ``hotpot_dev_distractor_v1`` is dev; ``all`` where it says nothing."""
    found = _PART.findall(name.lower())
    return _PARTS.get(found[-1], "dev") if found else "all"


def _file(path: Path) -> QuestionFile:
    category = category_of(path.name) or category_of(path.parent.name) or path.name.partition(".")[0]
    return QuestionFile(path, category, part_of(path.name))


def _ways(source: str, known: bool) -> str:
    if known:
        return "put the set's files there (FlashRAG's JSONL, Search-R1's Parquet or the original release), or give questions=PATH"
    return f"{source!r} is no set either; known: {', '.join([FACTBOOK, *CATEGORY, *NAMED])}"
