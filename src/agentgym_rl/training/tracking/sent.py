"""Remembers in the run's folder what a tracker was sent, so that a resumed run sends no step twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentgym_rl.records.atomic import write_atomic


class Sent:
    """The id a run has at a tracker, and the last step that was sent there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        state: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"id": uuid4().hex[:12], "step": 0}
        self.id: str = state["id"]
        self.step: int = state["step"]

    def claim(self, step: int) -> bool:
        """Whether ``step`` is still to be sent; from now on it counts as sent."""
        if step <= self.step:
            return False
        self.step = step
        write_atomic(self._path, json.dumps({"id": self.id, "step": step}))
        return True
