"""From a model's settings to an actor. The only place of this module that reaches for torch, and only when called."""

from __future__ import annotations

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.rollout.chat_actor import ChatActor
from agentgym_rl.agents.rollout.model_actor import ModelActor
from agentgym_rl.evaluation.subject import ModelSubject


def local_actor(settings: ModelSubject, *, temperature: float, seed: int, device: str = "auto") -> ModelActor:
    """The model of ``settings.model`` in this process, on ``device``, acting as ``settings.agent`` says.

    Needs the ``train`` extra. Raises :class:`~agentgym_rl.agents.models.errors.ModelError` for a folder that is no model.
    """
    from agentgym_rl.agents.chat import TemplateRenderer, TranscriptRenderer
    from agentgym_rl.agents.engines.local.engine import LocalEngine
    from agentgym_rl.agents.models.errors import ModelError
    from agentgym_rl.agents.models.load import choose_device, load_model

    loaded = load_model(settings.model, choose_device(device))
    try:
        transcript = settings.agent.template == "transcript"
        renderer = TranscriptRenderer(loaded.tokenizer) if transcript else TemplateRenderer(loaded.tokenizer)
    except ValueError as error:
        raise ModelError(f"{settings.model.path}: {error}") from error
    return ModelActor(
        LocalEngine(loaded.model.to(loaded.dtype)),
        renderer,
        settings.agent,
        sampling(settings, temperature),
        context=loaded.context,
        seed=seed,
    )


def served_actor(settings: ModelSubject, model: str, *, temperature: float, base_url: str | None = None) -> ChatActor:
    """``model`` behind the OpenAI-compatible server at ``base_url`` (None: ``OPENAI_BASE_URL``, else OpenAI's own).

    Needs the ``openai`` extra.
    """
    from agentgym_rl.agents.engines.openai import OpenAIEngine

    return ChatActor(OpenAIEngine(model, base_url), settings.agent, sampling(settings, temperature))


def sampling(settings: ModelSubject, temperature: float) -> Sampling:
    """How messages are drawn: as in rollouts, at the evaluation's temperature."""
    rollout = settings.rollout
    return Sampling(temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
