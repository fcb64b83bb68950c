"""SciWorld: the ScienceWorld lab, a text world of experiments at the level of a primary school."""

from agentgym_rl.environments.sciworld.world import SciWorld

__all__ = ["SciWorld"]
