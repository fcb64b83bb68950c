"""Settings of the ``horizon`` section: one kind a schedule, so that a key another schedule needs is an error here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from agentgym_rl.config.settings import Settings


def _rising(turns: list[int]) -> list[int]:
    if sorted(turns) != turns:
        raise ValueError(f"horizon.turns={turns} falls: each stage is at least as long as the one before")
    return turns


Turns = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1), AfterValidator(_rising)]


class FixedHorizon(Settings):
    """The same horizon at every step."""

    schedule: Literal["fixed"] = "fixed"
    turns: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=1)]
    """One number: the most turns of an episode."""


class StagedHorizon(Settings):
    """ScalingInter-RL: a longer horizon every ``every`` steps."""

    schedule: Literal["stages"] = "stages"
    turns: Turns
    """The horizon of each stage, never falling."""
    every: int = Field(ge=1)
    """Steps a stage; the last stage lasts to the end."""


class AdaptiveHorizon(Settings):
    """A longer horizon when the current one is mastered, or when it is what holds the agent back."""

    schedule: Literal["adaptive"] = "adaptive"
    turns: Turns
    """The horizon of each stage, never falling."""
    window: int = Field(default=10, ge=1)
    """Steps over which the metrics are averaged; a stage lasts at least so long."""
    success: float = Field(default=0.7, ge=0, le=1)
    """Mastered: mean ``success/mean`` over the window is at least this."""
    truncated: float = Field(default=0.5, ge=0, le=1)
    """Held back: the mean share of episodes cut by the horizon (``episodes/truncated``) is at least this, and ..."""
    gain: float = Field(default=0.02, ge=0, le=1)
    """... mean success rose by less than this over the window before."""


HorizonSettings = Annotated[FixedHorizon | StagedHorizon | AdaptiveHorizon, Field(discriminator="schedule")]
