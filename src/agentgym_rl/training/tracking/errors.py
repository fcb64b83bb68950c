"""What keeps a tracker from starting."""

from __future__ import annotations


class TrackerMissing(RuntimeError):
    """The package of a tracker is not installed; the message has the ``pip install`` line."""

    def __init__(self, name: str) -> None:
        super().__init__(f"tracking.to has {name}, which is not installed: pip install 'agentgym-rl[{name}]'")
