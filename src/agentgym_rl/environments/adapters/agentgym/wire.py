"""What differs between the published servers: fields, numbers, endings. One :class:`Wire` for each in ``wires.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agentgym_rl.environments.adapters.agentgym import fields
from agentgym_rl.environments.adapters.agentgym.items import Range
from agentgym_rl.environments.protocol import ActionSchema

Get = Callable[[str], Any]
"""Asks the server for the answer of a path about this environment."""


def observation_of(answer: Any, _get: Get) -> str:
    """The first observation, from a reset that answers with an object."""
    return fields.text(answer, "observation")


def whole_answer(answer: Any, _get: Get) -> str:
    """The first observation, from a reset that answers with it alone."""
    return fields.whole_text(answer)


def asked_for(_answer: Any, get: Get) -> str:
    """The first observation, where only ``GET /observation`` has it."""
    return fields.whole_text(get("observation"))


def unit(reward: float) -> float:
    """A reward that is in [0, 1] anyway, cut to that."""
    return min(1.0, max(0.0, reward))


def full(reward: float) -> bool:
    """Only the whole reward is success."""
    return reward >= 1.0


def positive(reward: float) -> bool:
    """Any reward is success."""
    return reward > 0.0


def same(action: str) -> str:
    """Actions that are sent as they are."""
    return action


def not_listed(_observation: str, _answer: Any, _get: Get) -> list[str] | None:
    """The server does not list what can be done."""
    return None


@dataclass(frozen=True, slots=True)
class Wire:
    """One kind of server, and what its answers mean here."""

    name: str
    summary: str
    instructions: str
    reset: Callable[[int], Mapping[str, Any]]
    """The body of a reset to an item, without the environment's number."""
    ranges: tuple[Range, ...]
    """Which items there are."""
    id_field: Literal["id", "env_idx"] = "id"
    prefix: str = ""
    """Before every path."""
    create: Mapping[str, Any] | None = None
    """The body of ``/create``."""
    closes: bool = True
    """Whether there is a ``/close``; without it an environment stays on the server for ever."""
    action_schema: ActionSchema = ()
    sends: Callable[[str], str] = same
    """From the action string to what the server reads."""
    opening: Callable[[Any, Get], str] = observation_of
    """The first observation."""
    text: str = "observation"
    """The field of a step with the observation."""
    value: str = "reward"
    """The field of a step that is scored."""
    ends: tuple[str, ...] = ("done",)
    """Fields of a step; one that is true ends the episode."""
    score: Callable[[float], float] = unit
    """From the value to the score."""
    won: Callable[[float], bool] = full
    """Whether the value is that of a success."""
    kept: bool = True
    """The score of an episode is the highest of its steps: a later action that fails takes nothing back. False: the last."""
    only_at_the_end: bool = False
    """Values of steps before the last one mean nothing."""
    ends_when_won: bool = False
    """The server goes on after some successes; here the episode ends."""
    refused: tuple[str, ...] = field(default=())
    """What an observation says, among others, after an action that was not read."""
    failed_opening: str | None = None
    """A first observation that says that the reset has failed."""
    admissible: Callable[[str, Any, Get], list[str] | None] = not_listed
    """From the observation and the answer that brought it to the actions that can be executed."""
    deterministic: bool = True
