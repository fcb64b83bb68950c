"""Message → action: one file a format."""

from agentgym_rl.agents.formats.protocol import ActionFormat, Reading
from agentgym_rl.agents.formats.registry import FORMATS, UnknownFormat, format_named

__all__ = ["FORMATS", "ActionFormat", "Reading", "UnknownFormat", "format_named"]
