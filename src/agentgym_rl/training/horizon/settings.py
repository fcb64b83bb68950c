"""Settings of the ``horizon`` section: one kind a schedule, so that a key another schedule needs is an error here."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from agentgym_rl.config.settings import Settings


class FixedHorizon(Settings):
    """The same horizon at every step."""

    schedule: Literal["fixed"] = "fixed"
    turns: list[Annotated[int, Field(ge=1)]] = Field(min_length=1, max_length=1)


class StagedHorizon(Settings):
    """ScalingInter-RL: a longer horizon every ``every`` steps."""

    schedule: Literal["stages"] = "stages"
    turns: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    every: int = Field(ge=1)
    """Steps a stage."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if sorted(self.turns) != self.turns:
            raise ValueError(f"horizon.turns={self.turns} falls: each stage is at least as long as the one before")
        return self


HorizonSettings = Annotated[FixedHorizon | StagedHorizon, Field(discriminator="schedule")]
