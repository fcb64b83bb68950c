"""What the server is started with."""

from __future__ import annotations

from pydantic import Field

from agentgym_rl.environments.service.server.listening import ListenSettings


class RetrievalSettings(ListenSettings):
    """Times are in seconds."""

    port: int = Field(default=8000, ge=0, le=65535)
    """0: any free one."""
    queue: int = Field(default=16384, ge=1)
    """Most queries under way."""
    topk: int = Field(default=3, ge=1)
    """Hits a query, where the request does not say."""
    most_topk: int = Field(default=100, ge=1)
    """Most hits a query that a request may ask for."""
    most_queries: int = Field(default=4096, ge=1)
    """Most queries in a request."""
    seconds: float = Field(default=30.0, gt=0)
    """Deadline of a request, the reading of its body apart."""
