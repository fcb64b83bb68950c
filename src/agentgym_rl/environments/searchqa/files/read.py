"""Rows of every public format as questions. What a row is, its keys say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym_rl.environments.searchqa.files.errors import BadRow, QuestionFileError
from agentgym_rl.environments.searchqa.files.rows import Row, rows
from agentgym_rl.environments.searchqa.files.sets import PARTS_OF_FANOUTQA


@dataclass(frozen=True, slots=True)
class Item:
    """A question as a file has it."""

    text: str
    answers: tuple[str, ...]
    source: str = ""
    """The set the row itself names; empty where it names none."""
    part: str = ""
    """``train``, ``dev`` or ``test``, where the row says so."""
    paragraphs: tuple[str, ...] = ()
    """Title, newline, text: what the row brings to be read."""


def read_items(path: Path) -> Iterator[Item]:
    """The questions of a file, in order.

    Rows without any answer that could be given in a few words (lists, tables, questions that can't be answered) are left out.

    Raises:
        QuestionFileError: the file can't be read, or a row is no question; names file, line and reason.
    """
    for place, row in rows(path):
        try:
            yield from _items(row)
        except BadRow as error:
            raise QuestionFileError(path, place, str(error)) from None


def _items(row: Row) -> Iterator[Item]:
    for key, read in _READERS.items():
        if key in row:
            yield from read(row)
            return
    raise BadRow(
        f"no known format: its keys are {', '.join(map(str, list(row)[:8])) or 'none'}; wanted are question and answers"
    )


def _search_r1(row: Row) -> Iterator[Item]:
    truth = _mapping(_mapping(row["reward_model"], "reward_model").get("ground_truth"), "reward_model.ground_truth")
    text = row.get("question")
    if text is None:
        raise BadRow("it has no question column; make the file with the question kept")
    extra = row.get("extra_info") or {}
    yield _item(text, truth.get("target"), source=str(row.get("data_source") or ""), part=str(extra.get("split") or ""))


def _flashrag(row: Row) -> Iterator[Item]:
    yield _item(row.get("question"), row["golden_answers"], paragraphs=_context(_inside(row.get("metadata")).get("context")))


def _triviaqa(row: Row) -> Iterator[Item]:
    """TriviaQA's ``Question`` and ``Answer`` with aliases, and Bamboogle's with a plain answer."""
    answer = row.get("Answer")
    if isinstance(answer, Mapping):
        answer = [answer.get("Value"), *(answer.get("Aliases") or ()), *(answer.get("HumanAnswers") or ())]
        answer = [one for one in answer if one]
    yield _item(row["Question"], answer)


def _popqa(row: Row) -> Iterator[Item]:
    given = row["possible_answers"]
    try:
        answers = json.loads(given) if isinstance(given, str) else given
    except ValueError:
        raise BadRow("possible_answers is no JSON list") from None
    yield _item(row.get("question"), answers)


def _fanoutqa(row: Row) -> Iterator[Item]:
    """The question, and those of its decomposition, where the answer is one thing and not a list or a table."""
    for part in _tree(row):
        answer = part.get("answer")
        if isinstance(answer, bool):
            answer = "yes" if answer else "no"
        if isinstance(answer, str | int | float) and str(answer).strip():
            yield _item(part.get("question"), str(answer), source="" if part is row else PARTS_OF_FANOUTQA)


def _tree(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield row
    for part in row.get("decomposition") or ():
        yield from _tree(_mapping(part, "decomposition"))


def _squad(row: Row) -> Iterator[Item]:
    for paragraph in row["paragraphs"]:
        contents = f"{str(row.get('title', '')).replace('_', ' ')}\n{paragraph.get('context', '')}"
        for question in paragraph.get("qas", ()):
            answers = [answer.get("text") for answer in question.get("answers", ())]
            if answers:
                yield _item(question.get("question"), answers, paragraphs=(contents,))


def _musique(row: Row) -> Iterator[Item]:
    if row.get("answerable") is False:
        return
    read = tuple(f"{one.get('title', '')}\n{one.get('paragraph_text', '')}" for one in row["paragraphs"])
    yield _item(row.get("question"), [row.get("answer"), *(row.get("answer_aliases") or ())], paragraphs=read)


def _paragraphs(row: Row) -> Iterator[Item]:
    """SQuAD's articles and MuSiQue's questions have a key in common."""
    if not all(isinstance(one, Mapping) for one in row["paragraphs"] or ()):
        raise BadRow("paragraphs is no list of objects")
    return _musique(row) if "question" in row else _squad(row)


def _context_row(row: Row) -> Iterator[Item]:
    """HotpotQA and 2WikiMultiHopQA, as released or as Parquet."""
    yield _item(row.get("question"), row.get("answer"), paragraphs=_context(row["context"]))


def _open_domain(row: Row) -> Iterator[Item]:
    """NQ-open and whatever else has ``question`` and ``answer`` or ``answers``."""
    answers = row.get("answer", row.get("answers"))
    if isinstance(answers, Mapping):
        answers = answers.get("text", answers.get("aliases"))
    yield _item(row["question"], answers)


_READERS: Mapping[str, Callable[[Row], Iterator[Item]]] = {
    "reward_model": _search_r1,
    "golden_answers": _flashrag,
    "possible_answers": _popqa,
    "decomposition": _fanoutqa,
    "paragraphs": _paragraphs,
    "context": _context_row,
    "Question": _triviaqa,
    "question": _open_domain,
}
"""The first of these keys that a row has says what it is."""


def _item(text: Any, answers: Any, *, source: str = "", part: str = "", paragraphs: tuple[str, ...] = ()) -> Item:
    if not isinstance(text, str) or not text.strip():
        raise BadRow("it has no question")
    given = [answers] if isinstance(answers, str | int | float) else answers
    if not isinstance(given, list | tuple) or not given:
        raise BadRow("it has no answers")
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in given):
        raise BadRow(f"its answers are no texts: {str(given)[:80]}")
    kept = tuple(dict.fromkeys(str(one).strip() for one in given if str(one).strip()))
    if not kept:
        raise BadRow("its answers are empty")
    return Item(" ".join(text.split()), kept, source, part, paragraphs)


def _context(context: Any) -> tuple[str, ...]:
    """``[[title, [sentences]], …]`` or, in Parquet, ``{"title": […], "sentences" or "content": [[…], …]}``; else none."""
    if isinstance(context, Mapping):
        context = list(
            zip(context.get("title") or (), context.get("sentences") or context.get("content") or (), strict=False)
        )
    if not isinstance(context, list):
        return ()
    pairs = [
        pair for pair in context if isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[1], list | tuple)
    ]
    return tuple(f"{title}\n{''.join(map(str, sentences)).strip()}" for title, sentences in pairs)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadRow(f"{name} is no object")
    return value


def _inside(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
