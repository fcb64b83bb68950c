"""The base of every settings model: strict, immutable, each field documented where it is declared."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """A section of a run's settings.

    Unknown keys are errors, values are not coerced across kinds (``"3"`` is no number), instances are immutable.
    The string under a field is its explanation; ``agentgym-rl train --help`` and the docs print it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, validate_default=True)
