"""The oracle: it knows the whole grid and what the mission checks, and plays the high-level actions open to everybody."""

from agentgym_rl.environments.babyai.expert.player import next_action

__all__ = ["next_action"]
