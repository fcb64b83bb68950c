"""The oracle: plays the known way to the answer, by admissible actions alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agentgym_rl.environments.searchqa.actions import Answer, read_action, search
from agentgym_rl.environments.searchqa.matching import exact_match
from agentgym_rl.environments.searchqa.question import Question


def next_action(question: Question, seen: Collection[str], done: Collection[str], offered: Sequence[str]) -> str | None:
    """The search of the first hop whose passage was not shown yet; behind the last hop the answer.

    Of a hop's queries the first that is offered and was not made yet. Where a passage can't be found the oracle goes on without
    it, and where no right answer is offered it gives a wrong one. None: the way to this question's answer is not known.
    """
    if not question.hops:
        return None
    for hop in question.hops:
        if not any(passage in seen for passage in hop.passages):
            for query in hop.queries:
                if query not in done and search(query) in offered:
                    return search(query)
    given = [(action, read) for action in offered if isinstance(read := read_action(action), Answer)]
    right = [action for action, read in given if exact_match(read.text, question.answers)]
    return (right or [action for action, _ in given] or list(offered))[0]
