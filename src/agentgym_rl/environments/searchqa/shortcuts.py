"""Players that understand nothing: what a trained model must beat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agentgym_rl.environments.searchqa import spans
from agentgym_rl.environments.searchqa.actions import answer, search
from agentgym_rl.environments.searchqa.candidates import candidates
from agentgym_rl.environments.searchqa.results import Shown


def guess(question: str, random: np.random.Generator) -> str:
    """Answer with a name of the question, without a search."""
    found = spans.choices(question) or spans.names(question) or [question]
    return answer(found[int(random.integers(len(found)))])


def top_title(question: str, shown: Sequence[Shown]) -> str:
    """Search for the whole question, then answer with what the first passage found is about."""
    return answer(shown[0].title.partition(": ")[0]) if shown else search(question)


def random_phrase(question: str, shown: Sequence[Shown], random: np.random.Generator) -> str:
    """Search for the whole question, then answer with any short phrase of the first passage found."""
    if not shown:
        return search(question)
    found = candidates(question, shown[:1]) or [shown[0].title]
    return answer(found[int(random.integers(len(found)))])
