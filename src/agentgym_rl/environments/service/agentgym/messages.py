"""What published clients send. They send more than is read, so unknown fields are ignored."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

LARGEST = 2**31 - 1


class _Request(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, use_attribute_docstrings=True)

    id: int = Field(ge=0, le=LARGEST)
    """What ``/create`` answered."""


class Reset(_Request):
    """Begin an episode."""

    data_idx: int = Field(default=0, ge=0, le=LARGEST)
    """The item."""


class Step(_Request):
    """Take one action."""

    action: str


class Close(_Request):
    """Free the environment."""
