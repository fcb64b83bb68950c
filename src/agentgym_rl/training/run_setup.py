"""Everything a run needs, made from its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from agentgym_rl.agents.chat.choose import choose_renderer
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.engines.local import LocalEngine
from agentgym_rl.agents.engines.protocol import Sampling
from agentgym_rl.agents.models.load import LanguageModel, choose_device, load_model
from agentgym_rl.agents.rollout.model_actor import ModelActor
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.config import ConfigError
from agentgym_rl.environments.task_set import TaskSet
from agentgym_rl.evaluation.evaluate import held_out
from agentgym_rl.evaluation.settings import evaluation_horizon
from agentgym_rl.records.run_folder import run_path
from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.algorithms.resolve import check, refuse_idle_clips, resolve
from agentgym_rl.training.horizon import Horizon
from agentgym_rl.training.learner.learner import Learner
from agentgym_rl.training.reachable import within_horizons
from agentgym_rl.training.settings import TrainSettings
from agentgym_rl.training.texts import world_texts


@dataclass(frozen=True, slots=True)
class Plan:
    """What can be known without loading a model."""

    settings: TrainSettings
    algorithm: Algorithm
    horizon: Horizon
    worlds: Sequence[World]
    tasks: Sequence[Sequence[TaskSet]]
    """Training tasks for each world and stage."""
    panels: Sequence[TaskSet]
    """Held-out tasks for each world."""

    @property
    def deterministic(self) -> bool:
        """``rollout.deterministic``, by default where every world runs in process."""
        chosen = self.settings.rollout.deterministic
        return all(world.in_process for world in self.worlds) if chosen is None else chosen

    @property
    def evaluation_horizon(self) -> int:
        """The most turns of an evaluated episode: as set, or the longest of training."""
        settings = self.settings
        return evaluation_horizon(settings.evaluation, settings.horizon.turns, settings.environment.worlds)

    def turns_of(self, world: World, stage: int, horizon: int) -> int:
        """The horizon of a world at a stage of the schedule, where the run's is ``horizon``."""
        return world.settings.turns[stage] if world.settings.turns is not None else horizon


def make_plan(settings: TrainSettings) -> Plan:
    """Check what can be checked before anything is loaded.

    Raises:
        ConfigError: settings that contradict each other; unknown categories; nothing to train or evaluate on.
        UnknownEnvironment: see there.
    """
    try:
        return _plan(settings)
    except ValueError as error:  # of a world, the algorithm or the task panels: it is about their settings
        raise ConfigError(str(error)) from error


def _plan(settings: TrainSettings) -> Plan:
    algorithm = resolve(settings.algorithm)
    batch = settings.batch
    check(
        algorithm,
        groups=batch.groups,
        group_size=batch.group_size,
        mini_batches=batch.mini_batches,
        epochs=batch.epochs,
    )
    refuse_idle_clips(settings.algorithm, mini_batches=batch.mini_batches, epochs=batch.epochs)
    if algorithm.needs_forced_tokens and settings.agent.action_space == "free":
        raise ValueError(
            f"algorithm.forced_tokens={settings.algorithm.forced_tokens:g} has no forced tokens to train under "
            "agent.action_space=free: leave it out, or set agent.action_space=admissible"
        )
    run_path(settings.run.root, settings.run.name)
    if settings.rollout.temperature == 0:
        raise ValueError("rollout.temperature=0 samples no alternatives to learn from: set it above 0")
    for world in settings.environment.worlds:
        if world.skip_solved > 0 and settings.horizon.schedule == "adaptive":
            raise ValueError(
                f"environment.skip_solved={world.skip_solved:g} of {world.id} draws solved tasks less often, which lowers the "
                "success that horizon.schedule=adaptive goes by: set environment.skip_solved=0, or horizon.schedule=stages"
            )
    worlds = [World(world) for world in settings.environment.worlds]
    tasks = [_stages(world, settings.horizon.turns) for world in worlds]
    evaluation = settings.evaluation
    panels = held_out(worlds, evaluation.split, evaluation.tasks, evaluation.categories)
    return Plan(settings, algorithm, Horizon.from_settings(settings.horizon), worlds, tasks, panels)


def _stages(world: World, turns: Sequence[int]) -> list[TaskSet]:
    """The training tasks of a world at each stage of the horizon schedule."""
    settings = world.settings
    tasks = world.tasks("train")
    if not tasks:
        raise ValueError(f"environment.id={settings.id} has no task to train on: its train split is empty")
    if settings.categories is not None:
        tasks = tasks.filter(settings.categories)
    if settings.turns is not None and len(settings.turns) != len(turns):
        raise ValueError(
            f"environment.turns={settings.turns} of {settings.id} has {len(settings.turns)} entries, "
            f"horizon.turns has {len(turns)}: give one for each"
        )
    if settings.stages is not None and len(settings.stages) != len(turns):
        raise ValueError(
            f"environment.stages has {len(settings.stages)} lists of categories for the {len(turns)} entries of horizon.turns: "
            "give one for each"
        )
    stages = [tasks] if settings.stages is None else [tasks.filter(chosen) for chosen in settings.stages]
    if settings.within_horizon:
        every = stages if settings.stages is not None else stages * len(turns)
        return within_horizons(settings, every, settings.turns or turns)
    return stages


@dataclass(slots=True)
class Policy:
    """The loaded model with everything around it that acts and learns."""

    language_model: LanguageModel
    renderer: ChatRenderer
    engine: LocalEngine
    learner: Learner

    def actor(self, agent: AgentSettings, sampling: Sampling, seed: int) -> ModelActor:
        """An actor that samples from the current weights."""
        return ModelActor(self.engine, self.renderer, agent, sampling, context=self.language_model.context, seed=seed)


def load_policy(plan: Plan) -> Policy:
    """Load the model that training starts from and make the learner.

    Raises ModelError, and TooManyFaults where a world fails whose texts a ``tiny`` model needs.
    """
    settings = plan.settings
    model = settings.model
    if settings.run.threads is not None:
        torch.set_num_threads(settings.run.threads)
    device = choose_device(settings.run.device)
    texts = world_texts(settings.environment.worlds, settings.rollout.retries) if model.path == "tiny" else ()
    language_model = load_model(model, device, texts=texts, seed=settings.run.seed)
    renderer = choose_renderer(settings.agent, language_model.tokenizer, model.path)
    learner = Learner(
        language_model,
        plan.algorithm,
        settings.optimizer,
        settings.batch,
        temperature=settings.rollout.temperature,
        seed=settings.run.seed,
    )
    engine = LocalEngine(language_model.model, deterministic=plan.deterministic)
    return Policy(language_model, renderer, engine, learner)


def make_runner(plan: Plan) -> RolloutRunner:
    """The runner of the plan's worlds; to be closed."""
    rollout = plan.settings.rollout
    return RolloutRunner(
        plan.worlds, concurrency=rollout.concurrency, retries=rollout.retries, deterministic=plan.deterministic
    )
