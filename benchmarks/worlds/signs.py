"""Signs: say the word that the sign shows, several times over. Reading the sign solves every task; nothing else does."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from random import Random

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Environment, Info, Parameter
from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet

WORDS = ["lamp", "door", "fish", "tree", "boat", "king", "moon", "rope", "salt", "wolf", "cave", "drum", "fork", "goat"]
WORDS += ["hill", "iron"]
ROOMS = 3
"""Signs in a task, and turns of an episode."""
CHOICES = 4
"""Words that may be said at a sign, the one it shows among them."""
_SIZES: dict[Split, int] = {"train": 2048, "validation": 512, "test": 512}


class Signs(Environment):
    """Three signs one after another. Each turn may say one of four words; the one on the sign is right.

    The score is the share of signs that were read out, given at the end; success is all of them. Saying words at random
    succeeds with probability 1/64. No room (a sign and its alternatives) occurs in two splits, so a held-out task
    consists of rooms that were never trained on.
    """

    id = "signs"
    summary = "Say the word that the sign shows."
    instructions = "Say what the sign shows."
    action_schema: ActionSchema = (
        ActionFunction("say", "Say a word.", (Parameter("word", "string", "The word."),), template="{word}"),
    )

    @classmethod
    @functools.cache
    def tasks(cls, split: Split) -> TaskSet:  # type: ignore[override]  # it has no settings
        return TaskSet(_task(split, number) for number in range(_SIZES[split]))

    def _begin(self, task: Task) -> tuple[str, Info]:
        self._rooms: Sequence[Sequence[str]] = task.data["rooms"]
        self._turn = self._right = 0
        return self._observation(), self._info(understood=True)

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        understood = action in self._rooms[self._turn]
        self._right += action == self._rooms[self._turn][0]
        self._turn += 1
        ended = self._turn == len(self._rooms)
        info = self._info(understood=understood)
        return "The end." if ended else self._observation(), info["score"] if ended else 0.0, ended, False, info

    def admissible_actions(self) -> list[str] | None:
        return sorted(self._rooms[self._turn]) if self.running else None

    def expert_action(self) -> str | None:
        return self._rooms[self._turn][0] if self.running else None

    def _observation(self) -> str:
        return f"Sign: {self._rooms[self._turn][0]}"

    def _info(self, *, understood: bool) -> Info:
        assert self.task is not None
        state = f"{self.task.id} {self._turn} {self._right}"
        return {
            "score": self._right / len(self._rooms),
            "success": self._right == len(self._rooms),
            "understood": understood,
            "state_key": hashlib.sha256(state.encode()).hexdigest()[:16],
        }


def _task(split: Split, number: int) -> Task:
    """The rooms of a task: in each the first word is the one on the sign."""
    random = Random(f"{split} {number}")
    rooms: list[list[str]] = []
    while len(rooms) < ROOMS:
        room = random.sample(WORDS, CHOICES)
        if _split_of(room) == split:
            rooms.append(room)
    return Task(
        id=f"{split}-{number}",
        environment="signs",
        split=split,
        category="signs",
        data={"rooms": rooms},
        content="; ".join(" ".join(room) for room in rooms),
    )


def _split_of(room: Sequence[str]) -> Split:
    """Which split has this room, whatever the order of its alternatives."""
    name = " ".join([room[0], *sorted(room[1:])])
    return SPLITS[min(hashlib.sha256(name.encode()).digest()[0] // 86, 2)]
