"""Actions that name their element instead of giving its number: ``click button 'Submit'``. Small models copy words well and look
numbers up badly. Both forms are read; which one is offered is a setting.
"""

from __future__ import annotations

from collections import Counter

from agentgym_rl.environments.web.browser import Command, View, read_command


def phrases(view: View) -> dict[str, int]:
    """Each element's role and name, with its number where others have the same."""
    seen = Counter((element.role, element.name) for element in view.elements)
    return {
        f"{element.role} '{element.name}'" + (f" [{element.id}]" if seen[element.role, element.name] > 1 else ""): element.id
        for element in view.elements[1:]
    }


def named(action: str, phrase_of: dict[int, str]) -> str:
    """An action by number as one by name; others as they are."""
    command = read_command(action)
    if (
        not isinstance(command, Command)
        or command.verb not in ("click", "hover", "type")
        or command.element not in phrase_of
    ):
        return action
    start = f"{command.verb} {phrase_of[command.element]}"
    return f"{start} [{command.text}] [{int(command.enter)}]" if command.verb == "type" else start


def numbered(action: str, view: View) -> str:
    """An action by name as one by number; others as they are."""
    verb, _, rest = action.strip().partition(" ")
    if verb not in ("click", "hover", "type"):
        return action
    known = phrases(view)
    if verb != "type":
        return f"{verb} [{known[rest]}]" if rest in known else action
    for phrase in sorted(known, key=len, reverse=True):
        if rest.startswith(f"{phrase} ["):
            return f"type [{known[phrase]}]{rest[len(phrase) :]}"
    return action
