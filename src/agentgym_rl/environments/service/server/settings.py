"""What a server is started with."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agentgym_rl.environments.service.server.listening import ListenSettings


class ServeSettings(ListenSettings):
    """Times are in seconds."""

    environments: list[str] = Field(min_length=1)
    """Ids of the worlds."""
    options: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Settings of the worlds, by id. Clients may give others, except those that are the operator's (``operator_settings``)."""
    workers: int = Field(default=0, ge=0)
    """Worker processes that share the worlds. 0: worlds run in the server's own process, where a call can't be interrupted."""
    worker_episodes: int | None = Field(default=None, ge=1)
    """Replace a worker after so many episodes."""
    worker_memory_mib: int | None = Field(default=None, ge=1)
    """Replace a worker that holds more."""
    sessions: int = Field(default=2048, ge=1)
    """Most open sessions."""
    batch: int = Field(default=1024, ge=1)
    """Most operations in a batch."""
    lease: Annotated[float, Field(gt=0)] = 900.0
    """A session that is not used for so long is closed."""
    create_seconds: float = Field(default=60.0, gt=0)
    """Deadline of opening a session: what a world with new options needs to be looked at."""
    reset_seconds: float = Field(default=60.0, gt=0)
    """Deadline of a reset, in a worker."""
    step_seconds: float = Field(default=30.0, gt=0)
    """Deadline of a step, in a worker."""
    allow_expert: bool = False
    """Tell the oracle's next action to whoever asks."""
    cors_origins: list[str] = Field(default_factory=list)
    """Web pages of these origins may call the server."""

    @model_validator(mode="after")
    def _useful(self) -> Self:
        for name in ("worker_episodes", "worker_memory_mib", "reset_seconds", "step_seconds"):
            if self.workers == 0 and getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name}={getattr(self, name):g} would do nothing without workers: set workers=1 or more")
        return self
