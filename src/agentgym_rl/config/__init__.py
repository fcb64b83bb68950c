"""Loads, merges, validates and explains settings; knows no module above it."""

from agentgym_rl.config.dump import Difference, difference, dump, plain
from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.explain import Explanation, explain
from agentgym_rl.config.load import Loaded, load
from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings

__all__ = [
    "ConfigError",
    "Difference",
    "Explanation",
    "Loaded",
    "ReadWhen",
    "Settings",
    "difference",
    "dump",
    "explain",
    "load",
    "plain",
]
