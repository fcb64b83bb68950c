"""Passages and questions of the Factbook, and the index: made once, kept in the user's cache."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from agentgym_rl.environments.search.retrieval import Passage
from agentgym_rl.environments.searchqa import matching, question, shares, spans
from agentgym_rl.environments.searchqa.cache import made_once
from agentgym_rl.environments.searchqa.factbook import facts, families, passages, properties, source, splits
from agentgym_rl.environments.searchqa.question import Question, from_row, question_id, to_row

PASSAGES, QUESTIONS = "passages.jsonl", "questions.jsonl"
_MAKERS: Sequence[ModuleType] = (facts, families, matching, passages, properties, question, shares, source, spans, splits)
"""The code that decides what is made: it is part of the name under which it is kept."""


@cache
def folder() -> Path:
    """The folder with passages and questions; makes it where it is not there yet, in about two seconds."""
    return made_once("factbook", fingerprint(), _write)


def corpus_name() -> str:
    """What results call the corpus: package version and content, ``factbook-0.1.2-1a2b3c4d``."""
    return f"factbook-{source.version()}-{fingerprint()[:8]}"


@cache
def questions() -> tuple[Question, ...]:
    """All questions, family by family."""
    with (folder() / QUESTIONS).open(encoding="utf-8") as file:
        return tuple(from_row(json.loads(line)) for line in file)


def read_passages() -> Iterator[Passage]:
    """All passages, in order."""
    with (folder() / PASSAGES).open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield Passage(row["id"], row["contents"])


def make() -> tuple[list[Passage], list[Question]]:
    """Makes passages and questions from the package, always the same."""
    made: list[Passage] = []
    places: dict[str, dict[str, tuple[str, ...]]] = {}
    for entity in source.entities():
        of_field: dict[str, list[str]] = defaultdict(list)
        for passage, names in passages.passages(entity):
            made.append(passage)
            for name in names:
                of_field[name].append(passage.id)
        places[entity.key] = {name: tuple(ids) for name, ids in of_field.items()}
    countries = facts.countries(source.entities(), places)
    return made, list(_questions(families.drafts(countries)))


def _questions(drafts: Iterator[families.Draft]) -> Iterator[Question]:
    for draft in drafts:
        split = splits.split_of_chain(draft.starts, draft.reaches)
        unseen = draft.pair is not None and splits.held_out(draft.pair)
        if split is None or (unseen and split == "train"):
            continue
        category = f"{draft.family}-unseen" if unseen else draft.family
        yield Question(
            question_id(category, draft.text, draft.answers), draft.text, draft.answers, category, split, draft.hops
        )


def _write(target: Path) -> None:
    made, asked = make()
    _write_rows(target / PASSAGES, ({"id": one.id, "contents": one.contents} for one in made))
    _write_rows(target / QUESTIONS, map(to_row, asked))


def _write_rows(path: Path, rows: Iterator[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


@cache
def fingerprint() -> str:
    digest = hashlib.sha256(source.version().encode())
    for module in _MAKERS:
        digest.update(inspect.getsource(module).encode())
    return digest.hexdigest()
