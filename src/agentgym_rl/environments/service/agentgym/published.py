"""How one world is put into the published format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.service.server.served_world import ServedWorld
from agentgym_rl.environments.task_set import Task


@dataclass(frozen=True, slots=True)
class Seen:
    """What an environment last answered."""

    observation: str
    reward: float
    """Of the last action."""
    score: float
    done: bool


@dataclass(frozen=True, slots=True)
class Published:
    """One world: its numbering of tasks, and the words and fields that clients expect."""

    id: str
    greeting: str
    """What ``GET /`` answers: clients check that the server works by it."""
    task: Callable[[ServedWorld, int], Task]
    """The task of an item; any number is one."""
    begins: bool
    """``/create`` begins an episode at the item of the new environment's number."""
    reads: Callable[[str], str | None]
    """From a client's action to the world's; None: it only asks to see the last observation again."""
    shows: Callable[[str, Sequence[str] | None], str]
    """From the world's observation and its admissible actions to the client's observation."""
    began: Callable[[Seen], Mapping[str, Any]]
    """The fields of the answer to a reset."""
    stepped: Callable[[Seen], Mapping[str, Any]]
    """The fields of the answer to a step."""
    observation: Callable[[Seen], Any]
    """The answer of ``GET /observation``."""
    goes_on: bool
    """A step after the end of an episode is answered with its last observation; else it is refused."""


class PublishedWorld(ServedWorld):
    """The world behind a server; sessions ask it for tasks by the item's number."""

    def __init__(self, published: Published) -> None:
        super().__init__(published.id, {})
        self._published = published

    def task(self, id: str) -> Task:
        """The task of an item, by its number in words."""
        return self._published.task(self, int(id))
