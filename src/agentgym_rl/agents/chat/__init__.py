"""Turns become token ids, one piece at a time."""

from agentgym_rl.agents.chat.conversation import Conversation
from agentgym_rl.agents.chat.pieces import UncuttableTemplate
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.chat.template import TemplateRenderer
from agentgym_rl.agents.chat.transcript import TranscriptRenderer

__all__ = ["ChatRenderer", "Conversation", "TemplateRenderer", "TranscriptRenderer", "UncuttableTemplate"]
