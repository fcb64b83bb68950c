"""WebArena (Zhou et al. 2023, arXiv:2307.13854) on sites that the user hosts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym_rl.environments.web.webarena.world import WebArena

__all__ = ["SUMMARY", "WebArena"]

SUMMARY = "812 tasks on web sites that you host: a shop and its admin pages, a forum, GitLab, a map"
"""Here, so that the list of worlds needs no browser layer."""


def __getattr__(name: str) -> Any:
    if name != "WebArena":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentgym_rl.environments.web.webarena.world import WebArena

    return WebArena
