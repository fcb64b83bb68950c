"""From a model's settings to an actor. The only place of this module that reaches for torch, and only when called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.rollout.chat_actor import ChatActor
from agentgym_rl.agents.rollout.model_actor import ModelActor
from agentgym_rl.config import ConfigError
from agentgym_rl.evaluation.subject import ModelSubject


def local_actor(
    settings: ModelSubject, *, temperature: float, seed: int, device: str = "auto", deterministic: bool = True
) -> ModelActor:
    """The model of ``settings.model`` in this process, on ``device``, acting as ``settings.agent`` says.

    Needs the ``train`` extra. Raises :class:`~agentgym_rl.agents.models.errors.ModelError` for a folder that is no model.
    """
    from agentgym_rl.agents.chat.choose import choose_renderer
    from agentgym_rl.agents.engines.local.engine import LocalEngine
    from agentgym_rl.agents.models.load import cast, choose_device, load_model

    loaded = load_model(settings.model, choose_device(device))
    return ModelActor(
        LocalEngine(cast(loaded.model, loaded.dtype), deterministic=deterministic),
        choose_renderer(settings.agent, loaded.tokenizer, settings.model.path),
        settings.agent,
        sampling(settings, temperature),
        context=loaded.context,
        seed=seed,
    )


@contextmanager
def served_actor(
    settings: ModelSubject, model: str, *, temperature: float, base_url: str | None = None
) -> Iterator[ChatActor]:
    """``model`` behind the OpenAI-compatible server at ``base_url`` (None: ``OPENAI_BASE_URL``, else OpenAI's own).

    Needs the ``openai`` extra. Raises :class:`ConfigError`, inside the block too, where the server refuses address, key or
    model, or the settings ask for what it can't do.
    """
    from agentgym_rl.agents.engines.openai import ChatServerRefused, OpenAIEngine

    try:
        engine = OpenAIEngine(model=model, base_url=base_url)
        actor = ChatActor(engine, settings.agent, sampling(settings, temperature))
    except ValueError as error:
        raise ConfigError(str(error)) from error
    try:
        yield actor
    except ChatServerRefused as error:
        raise ConfigError(str(error)) from error


def sampling(settings: ModelSubject, temperature: float) -> Sampling:
    """How messages are drawn: as in rollouts, at the evaluation's temperature."""
    rollout = settings.rollout
    return Sampling(temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
