"""MiniWoB++: small web pages with a goal each, in a real browser."""

from agentgym_rl.environments.web.miniwob.world import MiniWoB

__all__ = ["MiniWoB"]
