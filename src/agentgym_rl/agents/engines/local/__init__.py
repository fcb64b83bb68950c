"""Sampling with PyTorch in this process."""

from agentgym_rl.agents.engines.local.engine import EngineCounters, LocalEngine

__all__ = ["EngineCounters", "LocalEngine"]
