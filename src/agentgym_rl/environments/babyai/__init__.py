"""BabyAI: a text world of rooms, doors and things to go to, pick up, open and put next to each other (MiniGrid)."""

from agentgym_rl.environments.babyai.world import BabyAI

__all__ = ["BabyAI"]
