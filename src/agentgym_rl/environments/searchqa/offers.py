"""The admissible actions: a bounded list of searches and answers over phrases of the question and of what was shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from agentgym_rl.environments.searchqa import spans
from agentgym_rl.environments.searchqa.actions import answer, search
from agentgym_rl.environments.searchqa.candidates import candidates
from agentgym_rl.environments.searchqa.matching import normalise
from agentgym_rl.environments.searchqa.results import Shown

_NAMES_A_LINE = 8


def searches(question: str, last: Sequence[Shown], done: Collection[str], most: int) -> list[str]:
    """At most ``most`` searches not yet made: a name with a topic of the question, then names alone.

    Names come from what was last shown (the title of a passage, then what its most fitting line speaks of) and from the question.
    """
    topics = spans.topics(question)
    found = list(dict.fromkeys(_names(question, last)))
    queries = [f"{name} {topic}" for name in found for topic in topics] + found
    offered = dict.fromkeys(_askable(query) for query in queries or [question])
    left = [query for query in offered if query and query not in done]
    return [search(query) for query in left[:most]]


def answers(question: str, found: Sequence[Shown], most: int) -> list[str]:
    """At most ``most`` answers: what the question lets one choose from, then candidates of what was shown, the likeliest first."""
    given: dict[str, str] = {}
    for phrase in [*spans.choices(question), *candidates(question, found)]:
        given.setdefault(normalise(phrase), _askable(phrase))
    return [answer(phrase) for key, phrase in given.items() if key and phrase][:most]


def _names(question: str, last: Sequence[Shown]) -> Iterator[str]:
    of_question = spans.names(question)
    titles = [one.about for one in last]
    yield from titles[:1]
    yield from of_question
    for one in last[:1]:
        yield from [name for name in candidates(question, [one]) if name[:1].isupper()][:_NAMES_A_LINE]
    yield from titles[1:]


def _askable(text: str) -> str:
    """Without brackets, which an action could not carry, on one line."""
    return " ".join(text.replace("[", " ").replace("]", " ").split())
