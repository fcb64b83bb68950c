"""Question files as questions in three splits that share none."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.environments.searchqa.files.find import Part, QuestionFile, files_of, part_of
from agentgym_rl.environments.searchqa.files.read import Item, read_items
from agentgym_rl.environments.searchqa.files.sets import PARTS_OF_FANOUTQA, category_of
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.question import Question, question_id
from agentgym_rl.environments.searchqa.shares import share
from agentgym_rl.environments.task_set import Split

_VALIDATION, _TEST = 0.05, 0.15
"""Where a set lacks a part: below the first a training question is for validation, below the second for test if that lacks too."""
_ORDER: tuple[Split, ...] = ("test", "validation", "train")
"""A question that is in several splits stays in the first of these."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The questions of some files."""

    questions: tuple[Question, ...]
    """Each once."""
    rows: Mapping[tuple[str, bool], tuple[str, ...]]
    """Category and whether it is the train part → the id of the question of each row, in the file's order."""


def load(sources: Iterable[str]) -> Loaded:
    """The questions of named sets, files and folders.

    Raises:
        QuestionFileError: a file is not there, or a row is no question.
    """
    parts = _parts(file for source in sources for file in files_of(source))
    there: dict[str, set[Part]] = {}
    for category, part in parts:
        there.setdefault(category, set()).add(part)
    kept: dict[str, Question] = {}
    texts: dict[str, str] = {}
    for split in _ORDER:
        new: dict[str, str] = {}
        for (category, part), items in parts.items():
            for item in items:
                key = normalise(item.text)
                if key not in texts and _split(item, part, there[category]) == split:
                    question = _question(item, category, split)
                    kept.setdefault(question.id, question)
                    new.setdefault(key, question.id)
        texts |= new
    rows = {}
    for (category, part), items in parts.items():
        if part in ("train", _test_part(there[category])):
            ids = (question_id(category, item.text, item.answers) for item in items)
            own = zip(ids, items, strict=True)
            rows[category, part == "train"] = tuple(id if id in kept else texts[normalise(item.text)] for id, item in own)
    return Loaded(tuple(kept.values()), rows)


def paragraphs(sources: Iterable[str]) -> Iterator[Passage]:
    """What the rows of the sources bring to be read, each once, in order; nothing for most formats."""
    seen: set[str] = set()
    for source in sources:
        for file in files_of(source):
            for item in read_items(file.path):
                for contents in item.paragraphs:
                    id = hashlib.sha256(contents.encode(errors="replace")).hexdigest()[:16]
                    if id not in seen:
                        seen.add(id)
                        yield Passage(id, contents)


def _parts(files: Iterable[QuestionFile]) -> dict[tuple[str, Part], list[Item]]:
    """The questions by category and part."""
    found: dict[tuple[str, Part], list[Item]] = {}
    for path, file in {file.path: file for file in files}.items():
        for item in read_items(path):
            category = _category(item.source) or file.category
            part = file.part if file.part != "all" or not item.part else part_of(item.part)
            found.setdefault((category, part), []).append(item)
    return found


def _category(source: str) -> str:
    return source if source == PARTS_OF_FANOUTQA else category_of(source) or source


def _test_part(there: Collection[Part]) -> Part | None:
    """Which part is evaluated on; None: one has to be taken from the others."""
    return "test" if "test" in there else "dev" if "dev" in there else None


def _split(item: Item, part: Part, there: Collection[Part]) -> Split:
    """Where a set lacks a part, SHA-256 of the question takes it from the training questions."""
    test = _test_part(there)
    if part == test:
        return "test"
    if part == "dev":
        return "validation"
    drawn = share("question", item.text)
    if drawn < _VALIDATION and (test == "dev" or "dev" not in there):
        return "validation"
    return "test" if test is None and drawn < _TEST else "train"


def _question(item: Item, category: str, split: Split) -> Question:
    return Question(question_id(category, item.text, item.answers), item.text, item.answers, category, split)
