"""Episodes of TextCraft by a small model, and learners for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("training", deadline=None)
settings.load_profile("training")


@pytest.fixture(scope="session")
def rollout() -> Callable[..., Any]:
    """Plays ``groups`` x ``size`` episodes of TextCraft with a language model; returns their trajectories."""
    from agentgym_rl.agents.chat.choose import choose_renderer
    from agentgym_rl.agents.engines.local import LocalEngine
    from agentgym_rl.agents.engines.protocol import Sampling
    from agentgym_rl.agents.rollout.actor import EpisodeJob
    from agentgym_rl.agents.rollout.model_actor import ModelActor
    from agentgym_rl.agents.rollout.runner import RolloutRunner
    from agentgym_rl.agents.rollout.worlds import World
    from agentgym_rl.agents.settings import AgentSettings
    from agentgym_rl.environments.settings import WorldSettings

    def play(
        language_model: Any,
        *,
        sampling: Any = None,
        groups: int = 3,
        size: int = 4,
        horizon: int = 3,
        **agent: Any,
    ) -> list[Any]:
        acting = AgentSettings(**{"format": "raw", "template": "transcript", "action_space": "admissible", **agent})
        engine = LocalEngine(language_model.model)
        actor = ModelActor(
            engine,
            choose_renderer(acting, language_model.tokenizer, ""),
            acting,
            sampling or Sampling(max_tokens=8),
            context=2048,
            seed=0,
        )
        world = World(WorldSettings(id="textcraft"))
        tasks = world.tasks("train").filter("depth-1")
        jobs = [
            EpisodeJob(tasks[group], 0, group, index, horizon, step=1) for group in range(groups) for index in range(size)
        ]
        with RolloutRunner([world]) as runner:
            return runner.play(jobs, actor)

    return play


@pytest.fixture(scope="session")
def make_learner() -> Callable[..., Any]:
    """A learner of a language model. Keywords are the sections ``algorithm optimizer batch`` as mappings."""
    from agentgym_rl.training.algorithms.resolve import resolve
    from agentgym_rl.training.algorithms.settings import AlgorithmSettings
    from agentgym_rl.training.learner.learner import Learner
    from agentgym_rl.training.settings import BatchSettings, OptimizerSettings

    def make(
        language_model: Any,
        *,
        algorithm: dict[str, Any] | None = None,
        optimizer: dict[str, Any] | None = None,
        batch: dict[str, Any] | None = None,
        temperature: float = 1.0,
    ) -> Learner:
        return Learner(
            language_model,
            resolve(AlgorithmSettings(**(algorithm or {}))),
            OptimizerSettings(**{"learning_rate": 1e-3, "train_embeddings": True, **(optimizer or {})}),
            BatchSettings(**(batch or {})),
            temperature=temperature,
        )

    return make
