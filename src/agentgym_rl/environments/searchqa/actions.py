"""Reads an action string: ``search[query]`` or ``answer[text]``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentgym_rl.environments.protocol import ActionFunction, Parameter

MOST_QUERY_WORDS = 64
"""What is longer is cut, and the agent is told."""
_ACTION = re.compile(r"\s*(search|answer)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)

INSTRUCTIONS = (
    "Answer the question. You can search a collection of passages as often as you need, one query at a time, and then give "
    "one short answer: a name, a date or a few words, nothing else. "
    "Actions: 'search[query]' shows the passages that fit the query best; 'answer[text]' gives your answer and ends the task."
)
SCHEMA = (
    ActionFunction(
        "search",
        "Show the passages that fit the query best.",
        (Parameter("query", "string", "What to search for"),),
        "search[{query}]",
    ),
    ActionFunction(
        "answer",
        "Give the answer; this ends the task.",
        (Parameter("text", "string", "The answer alone, in a few words"),),
        "answer[{text}]",
    ),
)


@dataclass(frozen=True, slots=True)
class Search:
    query: str


@dataclass(frozen=True, slots=True)
class Answer:
    text: str


def read_action(text: str) -> Search | Answer | None:
    """Reads an action; what stands between the outermost brackets is the argument. None: it is neither."""
    found = _ACTION.fullmatch(text)
    if found is None:
        return None
    argument = " ".join(found[2].split())
    return Search(argument) if found[1].lower() == "search" else Answer(argument)


def search(query: str) -> str:
    """The action that searches for ``query``."""
    return f"search[{query}]"


def answer(text: str) -> str:
    """The action that answers ``text``."""
    return f"answer[{text}]"
