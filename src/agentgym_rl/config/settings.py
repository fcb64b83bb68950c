"""The base of every settings model: strict, immutable, each field documented where it is declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from agentgym_rl.config.read_when import ReadWhen


class Settings(BaseModel):
    """A section of a run's settings.

    Unknown keys are errors, values are not coerced across kinds (``"3"`` is no number), numbers are finite, instances
    are immutable.
    The string under a field is its explanation; ``agentgym-rl train --help-settings`` and the docs print it.
    Kinds of a section that need different keys are a union with a discriminator.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        validate_default=True,
    )

    read_when: ClassVar[Mapping[str, ReadWhen]] = {}
    """Keys that are read only under a condition: setting one while it does not hold is an error."""
