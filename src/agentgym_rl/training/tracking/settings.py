"""Settings of the ``tracking`` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings


class TrackingSettings(Settings):
    """Where metrics go besides ``metrics.jsonl``."""

    to: list[Literal["tensorboard", "wandb", "trackio"]] = Field(default_factory=list)
    project: str = "agentgym-rl"
    """Project name for W&B and trackio."""

    read_when: ClassVar[Mapping[str, ReadWhen]] = {"project": ReadWhen("to", ("wandb", "trackio"))}
