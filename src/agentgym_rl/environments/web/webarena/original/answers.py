"""``string_match``: what the agent's answer must say.

Follows the rules of WebArena's ``StringEvaluator`` (https://github.com/web-arena-x/webarena). References in other words go
to a judge.
"""

from __future__ import annotations

import re

from agentgym_rl.environments.web.webarena.original.judge import Judge
from agentgym_rl.environments.web.webarena.task_file import Answers

EITHER = " |OR| "
"""Between alternatives of one required text."""
IMPOSSIBLE = "N/A"
"""The answer for a task that can't be done."""
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")
"""Words for the one place where they matter: a reference of one character must be a word, so that 0 is not in 10 or 0.5."""


def cleaned(text: str) -> str:
    """Without case, outer spaces and one pair of quotes."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return text.lower()


def exact_match(reference: str, answer: str) -> bool:
    return cleaned(reference) == cleaned(answer)


def must_include(reference: str, answer: str, *, alone: bool = False) -> bool:
    """Whether one of the alternatives is in the answer. ``alone``: it is the only required text."""
    return any(_includes(one, answer, alone) for one in reference.split(EITHER))


def _includes(reference: str, answer: str, alone: bool) -> bool:
    wanted, given = cleaned(reference), cleaned(answer)
    if alone and len(wanted) == 1:
        return wanted in _WORD.findall(given)
    return wanted in given


def string_match(answers: Answers, answer: str, intent: str, note: str, judge: Judge | None) -> float:
    """1 when the answer has everything that is asked for, else 0.

    Args:
        answers: the task's references.
        answer: what the agent gave to ``stop``.
        intent: the task, for the judge.
        note: why the task can't be done, for the judge; empty where it can.
        judge: decides where no rule does. Without one, an impossible task wants the literal ``N/A``.

    Raises:
        EnvironmentFault: the judge does not answer.
        ValueError: there is no judge, and the task can't do without.
    """
    if answers.exact_match is not None and not exact_match(answers.exact_match, answer):
        return 0.0
    required = answers.must_include or []
    if not all(must_include(one, answer, alone=len(required) == 1) for one in required):
        return 0.0
    if answers.fuzzy_match is None:
        return 1.0
    if answers.fuzzy_match == IMPOSSIBLE:
        said = exact_match(IMPOSSIBLE, answer) or (judge is not None and judge.same_reason(intent, note, answer))
        return float(said)
    if judge is None:
        raise ValueError("a task with references in other words needs a judge")
    return float(all(judge.same_meaning(intent, reference, answer) for reference in answers.fuzzy_match))
