"""Settings of the ``evaluation`` section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings
from agentgym_rl.environments.settings import WorldSettings


class EvaluationSettings(Settings):
    """Which held-out tasks are played before, during and after training, and how."""

    every: int = Field(default=0, ge=0)
    """Evaluate every so many steps besides before and after; 0: only those."""
    split: Literal["validation", "test"] = "test"
    tasks: int | None = Field(default=None, ge=1)
    """Play the first so many tasks, spread evenly over the split; null: all."""
    categories: Annotated[list[str], Field(min_length=1)] | None = None
    """Play only these categories; null: those of the training settings."""
    samples: int = Field(default=1, ge=1)
    """Episodes a task."""
    horizon: int | None = Field(default=None, ge=1)
    """Most turns an episode; null: the last of ``horizon.turns``, or of ``environment.turns`` (of several worlds the longest)."""
    temperature: float = Field(default=1.0, ge=0)
    players: bool = True
    """Also play a random, a best-shortcut and an expert player on the same tasks."""
    free: bool = False
    """Also evaluate with ``agent.action_space=free``, before and after, one episode a task: free messages take long."""

    read_when: ClassVar[Mapping[str, ReadWhen]] = {"free": ReadWhen("agent.action_space", ("admissible",))}


def evaluation_horizon(evaluation: EvaluationSettings, turns: Sequence[int], worlds: Sequence[WorldSettings]) -> int:
    """The most turns of an evaluated episode: as set, or the longest of the horizons that ``worlds`` end their training with.

    ``turns``: ``horizon.turns``, for worlds without their own.
    """
    return evaluation.horizon or max((world.turns or turns)[-1] for world in worlds)
