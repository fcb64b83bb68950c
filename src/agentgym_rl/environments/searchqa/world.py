"""SearchQA: answer a question by searching passages, in text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from agentgym_rl.environments.protocol import Environment, Info
from agentgym_rl.environments.searchqa import offers, shortcuts
from agentgym_rl.environments.searchqa.actions import (
    INSTRUCTIONS,
    MOST_QUERY_WORDS,
    SCHEMA,
    Answer,
    Search,
    answer,
    read_action,
    search,
)
from agentgym_rl.environments.searchqa.matching import exact_match, sub_match, token_f1
from agentgym_rl.environments.searchqa.options import DEFAULTS, Options
from agentgym_rl.environments.searchqa.oracle import next_action
from agentgym_rl.environments.searchqa.question import Question
from agentgym_rl.environments.searchqa.results import Shown, block, harmless, shown
from agentgym_rl.environments.searchqa.retrieval import retriever_of
from agentgym_rl.environments.searchqa.rewards import Record, score_of
from agentgym_rl.environments.searchqa.task_list import question_of, task_set
from agentgym_rl.environments.task_set import Split, Task, TaskSet

HOW = "Write search[your query] or answer[your answer]."
NOTHING = "unknown"
"""What can be answered where nothing was found and no search is left."""


class SearchInfo(Info):
    """Besides the usual: how near the last answer came."""

    sub_match: bool
    """A golden answer stands in the answer."""
    f1: float
    """Of the answer's tokens, in [0, 1]."""
    retriever: str
    """What answers searches: kind, corpus and version. Results of different ones do not compare."""


class SearchQA(Environment):
    """Actions ``search[query]`` and ``answer[text]``; reward 1 for an answer that matches exactly after normalisation.

    Args:
        questions: ``"factbook"``, the name of a set (``nq``, ``hotpotqa`` …), a file, a folder, or a list of them.
        index: a folder made by ``agentgym-rl search build``, or the address of a retrieval server; None: the Factbook's.
        retriever: ``bm25``, or ``dense`` or ``hybrid`` over an index with embeddings. A server has its own kind.
        topk: passages a search shows.
        tokens: about how many tokens the passages of one search have at most.
        searches: searches an episode, after which only an answer is left; None: any number.
        attempts: answers an episode; None: any number, as published servers have it.
        queries_offered, answers_offered: most admissible actions of a kind.
        format_reward, retrieval_reward: optional parts of the score, see :mod:`agentgym_rl.environments.searchqa.rewards`.

    Raises:
        ValueError: an option out of its range, or a question file that can't be read.
        IndexRefused: no index, or one of another version.
    """

    id: ClassVar[str] = "searchqa"
    summary: ClassVar[str] = "Answer questions by searching passages: 10,000 over the CIA World Factbook, or your own sets."
    extra: ClassVar[str | None] = "search"
    operator_settings: ClassVar[frozenset[str]] = frozenset({"questions", "index"})
    instructions = INSTRUCTIONS
    action_schema = SCHEMA

    def __init__(
        self,
        questions: str | Sequence[str] = DEFAULTS["questions"],
        index: str | None = DEFAULTS["index"],
        retriever: str = DEFAULTS["retriever"],
        topk: int = DEFAULTS["topk"],
        tokens: int = DEFAULTS["tokens"],
        searches: int | None = DEFAULTS["searches"],
        attempts: int | None = DEFAULTS["attempts"],
        queries_offered: int = DEFAULTS["queries_offered"],
        answers_offered: int = DEFAULTS["answers_offered"],
        format_reward: float = DEFAULTS["format_reward"],
        retrieval_reward: float = DEFAULTS["retrieval_reward"],
    ) -> None:
        super().__init__(
            questions=questions,
            index=index,
            retriever=retriever,
            topk=topk,
            tokens=tokens,
            searches=searches,
            attempts=attempts,
            queries_offered=queries_offered,
            answers_offered=answers_offered,
            format_reward=format_reward,
            retrieval_reward=retrieval_reward,
        )
        self._options = Options.check(self.settings)
        self._retriever = retriever_of(self._options)

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The questions of a split; their category is the family or the set they come from."""
        return task_set(split, Options.check(settings).question_sources)

    def _begin(self, task: Task) -> tuple[str, Info]:
        self._question: Question = question_of(task.id, self._options.question_sources)
        self._record = Record(self._question)
        self._last: list[Shown] = []
        self._done: list[str] = []
        self._wrong: list[str] = []
        self._offered: list[str] | None = None
        return f"Question: {harmless(self._question.text)}", self._info()

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        command = read_action(action)
        if isinstance(command, Answer):
            return self._answer(command.text)
        if isinstance(command, Search):
            self._offered = None
            return self._search(command.query), 0.0, False, False, self._info()
        self._record.all_read = False
        return f"That is no action here. {HOW}", 0.0, False, False, self._info(understood=False)

    def _search(self, query: str) -> str:
        words = query.split()
        if not words:
            return f"Your query is empty. {HOW}"
        if self._spent:
            return "You have no search left. Write answer[your answer]."
        note = ""
        if len(words) > MOST_QUERY_WORDS:
            query = " ".join(words[:MOST_QUERY_WORDS])
            note = f"Only the first {MOST_QUERY_WORDS} words of your query were used.\n"
        (hits,) = self._retriever.retrieve([query], self._options.topk)
        self._last = shown(hits, query, self._options.tokens)
        self._done.append(query)
        self._record.searched(query, self._last)
        return note + (block(self._last) if self._last else "No passage has a word of your query. Search for other words.")

    @property
    def _spent(self) -> bool:
        return self._options.searches is not None and len(self._done) >= self._options.searches

    def _answer(self, text: str) -> tuple[str, float, bool, bool, Info]:
        self._wrong.append(text)
        success = exact_match(text, self._question.answers)
        attempts = self._options.attempts
        if not success and (attempts is None or len(self._wrong) < attempts):
            self._offered = None
            return "That is not the answer. Try again.", 0.0, False, False, self._info(text)
        options = self._options
        score = score_of(self._record, text, format_reward=options.format_reward, retrieval_reward=options.retrieval_reward)
        told = "That is the answer." if success else "That is not the answer."
        return told, score, True, False, self._info(text, score=score, success=success)

    def admissible_actions(self) -> list[str]:
        """Searches for phrases of the question and of what was last shown, answers out of what was shown; sorted."""
        if not self.running:
            return []
        if self._offered is None:
            text, options = self._question.text, self._options
            given = offers.answers(text, self._record.shown, options.answers_offered + len(self._wrong))
            wrong = {answer(one) for one in self._wrong}
            left = [action for action in given if action not in wrong][: options.answers_offered]
            searches = [] if self._spent else offers.searches(text, self._last, self._done, options.queries_offered)
            self._offered = sorted([*searches, *left]) or [answer(NOTHING) if self._spent else search(text)]
        return list(self._offered)

    def expert_action(self) -> str | None:
        """The next action on the known way to the answer; None for questions that come without one."""
        if not self.running:
            return None
        seen = {one.id for one in self._record.shown}
        return next_action(self._question, seen, self._done, self.admissible_actions())

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """``guess``, ``top_title``, ``random_phrase`` and ``likeliest``, see :mod:`agentgym_rl.environments.searchqa.shortcuts`."""
        return {
            "guess": lambda random: shortcuts.guess(self._question.text, random),
            "top_title": lambda random: shortcuts.top_title(self._question.text, self._record.shown),  # noqa: ARG005
            "random_phrase": lambda random: shortcuts.random_phrase(self._question.text, self._record.shown, random),
            "likeliest": lambda random: shortcuts.likeliest(  # noqa: ARG005
                self._question.text, self._last, self._record.shown, self._done
            ),
        }

    def _info(self, answer: str = "", *, score: float = 0.0, success: bool = False, understood: bool = True) -> SearchInfo:
        left = "" if self._options.searches is None else str(self._options.searches - len(self._done))
        known = sorted({one.id for one in self._record.shown})
        state = "\n".join([self._question.id, left, *known, *self._done[-1:], *self._wrong])
        return {
            "score": score,
            "success": success,
            "understood": understood,
            "state_key": hashlib.blake2b(state.encode(errors="replace"), digest_size=16).hexdigest(),
            "sub_match": sub_match(answer, self._question.answers),
            "f1": token_f1(answer, self._question.answers),
            "retriever": self._retriever.identity,
        }
