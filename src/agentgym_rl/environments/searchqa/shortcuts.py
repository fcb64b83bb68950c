"""Players that understand nothing: what a trained model must beat."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from agentgym_rl.environments.searchqa import offers, spans
from agentgym_rl.environments.searchqa.actions import answer, search
from agentgym_rl.environments.searchqa.candidates import candidates
from agentgym_rl.environments.searchqa.results import Shown

_SEARCHES = 2
"""As many as most questions need."""


def guess(question: str, random: np.random.Generator) -> str:
    """Answer with a name of the question, without a search."""
    found = spans.choices(question) or spans.names(question) or [question]
    return answer(found[int(random.integers(len(found)))])


def top_title(question: str, shown: Sequence[Shown]) -> str:
    """Search for the whole question, then answer with what the first passage found is about."""
    return answer(shown[0].about) if shown else search(question)


def random_phrase(question: str, shown: Sequence[Shown], random: np.random.Generator) -> str:
    """Search for the whole question, then answer with any short phrase of the first passage found."""
    if not shown:
        return search(question)
    found = candidates(question, shown[:1]) or [shown[0].about]
    return answer(found[int(random.integers(len(found)))])


def likeliest(question: str, last: Sequence[Shown], shown: Sequence[Shown], done: Collection[str]) -> str:
    """Two searches, then an answer: each time the one that comes first by how many words it shares with the question."""
    if len(done) < _SEARCHES and (found := offers.searches(question, last, done, 1)):
        return found[0]
    return next(iter(offers.answers(question, shown, 1)), search(question))
