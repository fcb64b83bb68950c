"""The renderer that the settings ask for."""

from __future__ import annotations

from typing import Any

from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.chat.template import TemplateRenderer
from agentgym_rl.agents.chat.transcript import TranscriptRenderer
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.settings import AgentSettings


def choose_renderer(settings: AgentSettings, tokenizer: Any, model: str) -> ChatRenderer:
    """The renderer of ``agent.template``. ``model`` names the model in the error.

    Raises:
        ModelError: the tokenizer has no chat template, or one that can't be written turn by turn.
    """
    try:
        return TranscriptRenderer(tokenizer) if settings.template == "transcript" else TemplateRenderer(tokenizer)
    except ValueError as error:
        raise ModelError(f"model.path={model}: {error}") from error
