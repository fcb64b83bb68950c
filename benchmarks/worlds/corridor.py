"""Corridor: rooms in a row, each left by saying the right word. The later rooms need a skill that the first ones do not show."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from random import Random

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Environment, Info, Parameter
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from worlds.signs import CHOICES, WORDS

LENGTHS = (4, 8, 12)
"""Rooms of a task, and the fewest turns in which it can be solved; the categories are ``rooms-4`` and so on."""
BRIGHT = 4
"""The first so many rooms show one word, and that is right. Later ones show two, and the second is right."""
_SIZES: dict[Split, int] = {"train": 512, "validation": 64, "test": 128}
"""Tasks of each length."""


class Corridor(Environment):
    """Go through all the rooms. A wrong word costs a turn and leads nowhere; there is no limit but the horizon.

    The score is the share of rooms that were left behind; each gives its part of the reward at once. Success is all of
    them. Held-out tasks are sequences of rooms that were never trained on.
    """

    id = "corridor"
    summary = "Say the right word in one room after another."
    instructions = "Say the word that is right."
    action_schema: ActionSchema = (
        ActionFunction("say", "Say a word.", (Parameter("word", "string", "The word."),), template="{word}"),
    )

    @classmethod
    @functools.cache
    def tasks(cls, split: Split) -> TaskSet:  # type: ignore[override]  # it has no settings
        return TaskSet(_task(split, length, number) for number in range(_SIZES[split]) for length in LENGTHS)

    def _begin(self, task: Task) -> tuple[str, Info]:
        self._rooms: Sequence[Sequence[str]] = task.data["rooms"]
        self._at = 0
        return self._observation(), self._info(understood=True)

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        room = self._rooms[self._at]
        right = action == room[0]
        self._at += right
        ended = self._at == len(self._rooms)
        info = self._info(understood=action in room)
        return "The end." if ended else self._observation(), right / len(self._rooms), ended, False, info

    def admissible_actions(self) -> list[str] | None:
        return sorted(self._rooms[self._at]) if self.running else None

    def expert_action(self) -> str | None:
        return self._rooms[self._at][0] if self.running else None

    def _observation(self) -> str:
        right, other = self._rooms[self._at][:2]
        return f"Sign: {right}" if self._at < BRIGHT else f"Second: {other} {right}"

    def _info(self, *, understood: bool) -> Info:
        assert self.task is not None
        score = self._at / len(self._rooms)
        state = hashlib.sha256(f"{self.task.id} {self._at}".encode()).hexdigest()[:16]
        return {"score": score, "success": score == 1, "understood": understood, "state_key": state}


def _task(split: Split, length: int, number: int) -> Task:
    """The rooms of a task: in each the first word is right, and the second is shown with it in later rooms."""
    random = Random(f"{split} {length} {number}")
    rooms = [random.sample(WORDS, CHOICES) for _ in range(length)]
    return Task(
        id=f"{split}-{length}-{number}",
        environment="corridor",
        split=split,
        category=f"rooms-{length}",
        data={"rooms": rooms},
        content="; ".join(" ".join(room) for room in rooms),
    )
