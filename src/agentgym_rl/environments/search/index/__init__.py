"""Indexes: folders that many processes open at once, made in bounded memory."""

from agentgym_rl.environments.search.index.build import build_index
from agentgym_rl.environments.search.index.opening import open_index

__all__ = ["build_index", "open_index"]
