"""Whether a server works."""

from __future__ import annotations

from typing import Literal

from agentgym_rl.environments.service.protocol.message import Answer


class Health(Answer):
    status: Literal["ok"] = "ok"
    sessions: int
    """Open ones."""
    workers: list[int]
    """Process ids of its workers."""
