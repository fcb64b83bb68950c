"""MiniWoB++: small web pages with a goal each, in a real browser."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym_rl.environments.web.miniwob.world import MiniWoB

__all__ = ["SUMMARY", "MiniWoB"]

SUMMARY = "130 small web pages with a goal each, in a real browser (MiniWoB++)"
"""Here, so that the list of worlds needs no browser layer."""


def __getattr__(name: str) -> Any:
    if name != "MiniWoB":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentgym_rl.environments.web.miniwob.world import MiniWoB

    return MiniWoB
