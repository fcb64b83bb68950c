"""A question with its answers, and how it is kept in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.task_set import Split


@dataclass(frozen=True, slots=True)
class Hop:
    """One search on the way to the answer."""

    queries: tuple[str, ...]
    """What to search for; the later ones when the earlier ones do not find it."""
    passages: tuple[str, ...]
    """The ids of the passages, any of which answers it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question. ``id`` follows from its content."""

    id: str
    text: str
    answers: tuple[str, ...]
    """The golden answers: any of them is right. The first is the one to show."""
    category: str
    split: Split
    hops: tuple[Hop, ...] = ()
    """The way to the answer, where it is known."""


def question_id(category: str, text: str, answers: tuple[str, ...]) -> str:
    """``nq/3f2a…``: the same for the same question everywhere, whatever file it comes from."""
    digest = hashlib.sha256("\x00".join((text, *sorted(answers))).encode(errors="replace")).hexdigest()
    return f"{category}/{digest[:12]}"


def to_row(question: Question) -> dict[str, Any]:
    """The question as a row of FlashRAG's format, with the rest in ``metadata``."""
    hops = [{"queries": list(hop.queries), "passages": list(hop.passages)} for hop in question.hops]
    return {
        "id": question.id,
        "question": question.text,
        "golden_answers": list(question.answers),
        "metadata": {"category": question.category, "split": question.split, "hops": hops},
    }


def from_row(row: Mapping[str, Any]) -> Question:
    """The question of a row that :func:`to_row` made."""
    rest = row["metadata"]
    hops = tuple(Hop(tuple(hop["queries"]), tuple(hop["passages"])) for hop in rest["hops"])
    return Question(row["id"], row["question"], tuple(row["golden_answers"]), rest["category"], rest["split"], hops)
