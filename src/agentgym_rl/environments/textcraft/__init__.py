"""TextCraft: craft a Minecraft item from its real recipes."""

from agentgym_rl.environments.textcraft.world import TextCraft

__all__ = ["TextCraft"]
