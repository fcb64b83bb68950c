"""What single kinds of servers need: how their answers are read, and how actions are written for them."""

from __future__ import annotations

import re
from typing import Any

from agentgym_rl.environments.adapters.agentgym import fields
from agentgym_rl.environments.adapters.agentgym.wire import Get

_OFFERED = re.compile(r"Available actions: \[(.*)\]\s*$", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_MOVES = ("move up", "move down", "move left", "move right")


def babyai_admissible(observation: str, _answer: Any, _get: Get) -> list[str] | None:
    """The list at the end of the observation, without the action that only asks for it."""
    found = _OFFERED.search(observation)
    names = ["".join(pair) for pair in _QUOTED.findall(found[1])] if found else []
    return list(dict.fromkeys(name for name in names if "check" not in name)) or None


def alfworld_admissible(_observation: str, answer: Any, _get: Get) -> list[str] | None:
    """The answer has them."""
    return list(dict.fromkeys(fields.texts(answer, "available_actions"))) or None


def webshop_admissible(_observation: str, _answer: Any, get: Get) -> list[str] | None:
    """Clicks; None on a page with a search bar, where any words can be searched."""
    answer = get("available_actions")
    if fields.flag(answer, "has_search_bar"):
        return None
    return [f"click[{name}]" for name in dict.fromkeys(fields.texts(answer, "clickables"))] or None


def maze_admissible(_observation: str, _answer: Any, _get: Get) -> list[str] | None:
    """Always the same."""
    return list(_MOVES)


def sciworld_opening(answer: Any, _get: Get) -> str:
    """The task before what is seen."""
    return f"{fields.text(answer, 'task_description')}\n{fields.text(answer, 'observation')}"


def webarena_action(action: str) -> str:
    """These servers read whole messages."""
    return f"```{action.replace('```', '')}```"


def tool_action(action: str) -> str:
    """These servers read whole messages."""
    return action if "Action:" in action else f"Action: {action}"


def sql_action(action: str) -> str:
    """Without the fence that models like to write."""
    return action.split("```sql")[-1].split("```")[0].strip()


def wordle_action(action: str) -> str:
    """Letters with spaces between."""
    word = action.strip().lower()
    return " ".join(word) if word.isalpha() else word
