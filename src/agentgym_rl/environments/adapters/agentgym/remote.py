"""One environment on a published server."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from agentgym_rl.environments.adapters.agentgym import fields
from agentgym_rl.environments.adapters.agentgym.connection import Connection
from agentgym_rl.environments.adapters.agentgym.wire import Wire
from agentgym_rl.environments.errors import EnvironmentFault

CLOSE_SECONDS = 5.0
"""Deadline of closing."""


class Remote:
    """Made by the constructor, over there; used for one episode after the other. All methods raise EnvironmentFault."""

    def __init__(self, wire: Wire, connection: Connection, seconds: float) -> None:
        """``seconds``: deadline."""
        self._wire = wire
        self._connection = connection
        self._number = fields.created(connection.post(f"{wire.prefix}/create", wire.create, seconds))

    def reset(self, item: int, seconds: float) -> Any:
        """Begins an episode at an item; the answer."""
        return self._post("reset", self._wire.reset(item), seconds)

    def step(self, action: str, seconds: float) -> Any:
        """Takes one action; the answer. What no UTF-8 can write becomes question marks."""
        return self._post("step", {"action": self._wire.sends(action).encode(errors="replace").decode()}, seconds)

    def get(self, path: str, seconds: float) -> Any:
        """The answer of a path about this environment."""
        query: dict[str, str] = {self._wire.id_field: str(self._number)}
        return self._connection.get(f"{self._wire.prefix}/{path}", query, seconds)

    def close(self) -> None:
        """Ends it over there, where the server can. Raises nothing: what can't be closed is the server's to keep."""
        if self._wire.closes:
            with suppress(EnvironmentFault):
                self._post("close", {}, CLOSE_SECONDS)

    def _post(self, path: str, body: Mapping[str, Any], seconds: float) -> Any:
        content = {self._wire.id_field: self._number, **body}
        return self._connection.post(f"{self._wire.prefix}/{path}", content, seconds)
