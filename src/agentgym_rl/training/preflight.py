"""What shows only once a model meets a world, found out before training: the first turn of a few tasks, sampled by nobody."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym_rl.agents.engines.protocol import SampleRequest, SampleResult, Sampling
from agentgym_rl.agents.rollout.actor import ContextFull, EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults
from agentgym_rl.agents.rollout.model_actor import ModelActor, ModelEpisode
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.config import ConfigError
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.task_set import Task
from agentgym_rl.evaluation.panel import spread
from agentgym_rl.records.trajectory import Trajectory, Turn
from agentgym_rl.training.run_setup import Plan, Policy

_TASKS = 3
"""Tasks of each stage, and of the panel."""


def check_first_turns(plan: Plan, policy: Policy, runner: RolloutRunner) -> None:
    """Render the first observation of a few tasks of each world and lay out a message to it. No action is carried out.

    Raises:
        ConfigError: in a world no first observation leaves room for a message; the format can't be used here; a world
            without admissible actions, or without the ``state_key`` that the algorithm compares turns by.
        TooManyFaults: no episode of a world began.
    """
    settings = plan.settings
    rollout = settings.rollout
    sampling = Sampling(rollout.temperature, rollout.top_k, rollout.top_p, rollout.max_tokens)
    actor = ModelActor(_NoEngine(), policy.renderer, settings.agent, sampling, context=policy.language_model.context, seed=0)
    for number, world in enumerate(plan.worlds):
        tasks = [task for some in (*plan.tasks[number], plan.panels[number]) for task in spread(some, _TASKS)]
        probe = _Probe(actor)
        try:
            episodes = runner.play(_jobs(tasks, number), probe)
        except ValueError as error:  # of the format or the action space: it is about agent.*
            raise ConfigError(f"{world.settings.id}: {error}") from error
        if not any(episode.valid for episode in episodes):
            raise TooManyFaults.among(f"the first turns of {world.settings.id}", episodes, rollout.max_fault_rate)
        if probe.too_small and not any(episode.valid and episode.turns for episode in episodes):
            raise ConfigError(f"model.path={settings.model.path}, {world.settings.id}: {probe.too_small}")
        if plan.algorithm.needs_states and probe.without_state:
            raise ConfigError(
                f"algorithm.advantage.estimator={plan.algorithm.recipe.estimator} compares turns in the same state, and "
                f"environment.id={world.settings.id} tells no state_key: choose another algorithm, such as algorithm.name=grpo"
            )


def _jobs(tasks: Sequence[Task], world: int) -> list[EpisodeJob]:
    return [EpisodeJob(task, 0, number, 0, 1, world=world) for number, task in enumerate(tasks)]


class _NoEngine:
    """Takes the first choice everywhere and ends every free message at once."""

    def open(self, group: int) -> int:  # noqa: ARG002
        return 0

    def close(self, session: int) -> None:
        """There are no sessions."""

    async def sample(self, request: SampleRequest) -> SampleResult:
        ids: list[int] = []
        node = request.allowed
        while node is not None and node.children:
            ids.append(node.choices()[0])
            node = node.children[ids[-1]]
        ids = ids or [min(request.stop_ids)]
        return SampleResult(ids, [False] * len(ids), [0.0] * len(ids))


class _Probe:
    """Acts like ``actor`` up to where the world would hear of it."""

    def __init__(self, actor: ModelActor) -> None:
        self.actor = actor
        self.wants_admissible = actor.wants_admissible
        self.too_small: str | None = None
        """Why a first observation did not fit."""
        self.without_state = False
        """A first state had no key."""

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> _ProbeEpisode:
        return _ProbeEpisode(self, job, self.actor.begin(job, environment, attempt))


class _ProbeEpisode:
    def __init__(self, probe: _Probe, job: EpisodeJob, episode: ModelEpisode) -> None:
        self._probe = probe
        self._job = job
        self._episode = episode

    async def act(self, state: Transition, turn: int) -> Turn:
        self._probe.without_state |= state.info.get("state_key") is None
        try:
            made = await self._episode.act(state, turn)
        except ContextFull as full:
            self._probe.too_small = self._probe.too_small or f"task {self._job.task.id}: {full}"
            raise
        made.action = None
        return made

    def finish(self, trajectory: Trajectory) -> None:
        self._episode.finish(trajectory)
