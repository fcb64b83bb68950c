"""TextCraft and BabyAI in the published format."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

from agentgym_rl.environments.adapters.agentgym.numbering import BABYAI_LEVELS
from agentgym_rl.environments.babyai.task_list import task as babyai_task
from agentgym_rl.environments.service.agentgym.published import Published, Seen
from agentgym_rl.environments.service.server.served_world import ServedWorld
from agentgym_rl.environments.task_set import Task
from agentgym_rl.environments.textcraft.recipes import recipe_book

CHECK = "check available actions"
_DOOR = re.compile(r"\b(?:open|closed|locked) door\b")


@cache
def textcraft_goals() -> tuple[str, ...]:
    """All goals of TextCraft by depth, then name, whatever their split: item n is the n-th, counted round."""
    goals = recipe_book().goals.values()
    return tuple(goal.id for goal in sorted(goals, key=lambda goal: (goal.depth, goal.id)))


def _textcraft_task(world: ServedWorld, item: int) -> Task:
    goals = textcraft_goals()
    return ServedWorld.task(world, goals[item % len(goals)])


def _babyai_task(_world: ServedWorld, item: int) -> Task:
    """Any level and seed, not only those of the task sets: published lists name more."""
    seed, level = divmod(item, len(BABYAI_LEVELS))
    return babyai_task(BABYAI_LEVELS[level], seed, "train")


def _babyai_action(action: str) -> str | None:
    """Published actions name the state of a door; ``check`` anywhere asks what can be done."""
    return None if "check" in action.lower() else _DOOR.sub("door", action.lower())


def _babyai_text(observation: str, admissible: Sequence[str] | None) -> str:
    """With the list of available actions, as published observations have it."""
    if admissible is None:
        return observation
    return f"{observation}\nAvailable actions: {json.dumps([*admissible, CHECK])}"


TEXTCRAFT = Published(
    id="textcraft",
    greeting="This is environment TextCraft.",
    task=_textcraft_task,
    begins=True,
    reads=lambda action: action,
    shows=lambda observation, _admissible: observation,
    began=lambda seen: {"observation": seen.observation, "done": False, "reward": 0},
    stepped=lambda seen: {"observation": seen.observation, "reward": int(seen.reward), "done": seen.done},
    observation=lambda seen: seen.observation,
    goes_on=True,
)


def _babyai_fields(seen: Seen) -> dict[str, object]:
    return {"observation": seen.observation, "reward": seen.reward, "score": seen.score, "done": seen.done}


BABYAI = Published(
    id="babyai",
    greeting="This is environment BabyAI.",
    task=_babyai_task,
    begins=False,
    reads=_babyai_action,
    shows=_babyai_text,
    began=lambda seen: {**_babyai_fields(seen), "deleted": False},
    stepped=_babyai_fields,
    observation=lambda seen: {**_babyai_fields(seen), "deleted": False},
    goes_on=False,
)

PUBLISHED = {published.id: published for published in (TEXTCRAFT, BABYAI)}
