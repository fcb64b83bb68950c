"""Deep search: a question, a search tool, an answer."""

from agentgym_rl.environments.searchqa.world import SearchQA

__all__ = ["SearchQA"]
