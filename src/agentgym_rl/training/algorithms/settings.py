"""Settings of the ``algorithm`` section."""

from __future__ import annotations

from agentgym_rl.config.settings import Settings


class AlgorithmSettings(Settings):
    """A preset by name; its fields may be overridden one by one."""

    name: str = "grpo"
