"""WebArena (Zhou et al. 2023, arXiv:2307.13854) on sites that the user hosts."""

from agentgym_rl.environments.web.webarena.world import WebArena

__all__ = ["WebArena"]
