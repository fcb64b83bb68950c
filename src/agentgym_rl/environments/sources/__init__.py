"""Where the environments of a run come from: this process, threads, workers, servers."""

from agentgym_rl.environments.sources.choose import source_of
from agentgym_rl.environments.sources.source import Source

__all__ = ["Source", "source_of"]
