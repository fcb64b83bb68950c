"""The score of an episode: exact match, and two optional parts that a wrong or careless agent cannot earn by tricks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from agentgym_rl.environments.searchqa.matching import exact_match, normalise, sub_match
from agentgym_rl.environments.searchqa.question import Question
from agentgym_rl.environments.searchqa.results import Shown

MOST_ANSWER_WORDS = 10
"""A longer answer is a passage, not an answer."""
_COPIED = 0.8
"""A query with more than this share of the question's words copies it."""


@dataclass(slots=True)
class Record:
    """What an episode did so far, as far as rewards care."""

    question: Question
    searches: int = 0
    all_read: bool = True
    """Every action could be read."""
    shown: list[Shown] = field(default_factory=list)
    """Everything shown, in order."""
    earned: list[Shown] = field(default_factory=list)
    """What was shown for queries that do not copy the question."""

    def searched(self, query: str, found: Sequence[Shown]) -> None:
        """Take down a search."""
        self.searches += 1
        self.shown += found
        if not _copies(query, self.question.text):
            self.earned += found


def score_of(record: Record, answer: str, *, format_reward: float, retrieval_reward: float) -> float:
    """The score of an episode that ends with ``answer``; 1 for an exact match.

    With ``format_reward`` f a right answer scores 1 - f unless every action could be read and something was searched before:
    the format alone earns nothing. With ``retrieval_reward`` r a wrong answer scores r if a passage with the answer was found by a
    query that is no copy of the question, and the answer is one short phrase out of what was found so, not out of the question, and
    not one that holds the right answer among other words.
    """
    if exact_match(answer, record.question.answers):
        in_form = record.all_read and record.searches > 0
        return 1.0 if in_form else 1.0 - format_reward
    dumped = sub_match(answer, record.question.answers)
    tried = _is_phrase_of(answer, record.earned) and not dumped and not _contains(record.question.text, answer)
    return retrieval_reward if tried and record.all_read and holds_answer(record.question, record.earned) else 0.0


def holds_answer(question: Question, found: Collection[Shown]) -> bool:
    """Whether the last hop's passage is among ``found``; where the way is not known, whether a golden answer stands in one."""
    if question.hops:
        return any(one.id in question.hops[-1].passages for one in found)
    return any(sub_match(" ".join(one.lines), question.answers) for one in found)


def _is_phrase_of(answer: str, found: Collection[Shown]) -> bool:
    key = normalise(answer)
    if not key or len(key.split()) > MOST_ANSWER_WORDS:
        return False
    return any(_contains(f"{one.about} {line}", answer) for one in found for line in one.lines)


def _contains(text: str, part: str) -> bool:
    return f" {normalise(part)} " in f" {normalise(text)} "


def _copies(query: str, question: str) -> bool:
    words = set(normalise(question).split())
    return len(words & set(normalise(query).split())) > _COPIED * len(words)
