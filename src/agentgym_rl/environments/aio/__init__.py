"""The asynchronous form of a world, and any synchronous world in it."""

from agentgym_rl.environments.aio.from_sync import Runner, from_sync
from agentgym_rl.environments.aio.protocol import AsyncEnvironment

__all__ = ["AsyncEnvironment", "Runner", "from_sync"]
