"""One episode: an actor and an environment take turns."""

from __future__ import annotations

from dataclasses import replace

from agentgym_rl.agents.rollout.actor import Actor, ContextFull, EpisodeJob
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.records.trajectory import Trajectory


async def play_episode(job: EpisodeJob, world: World, actor: Actor, *, retries: int) -> Trajectory:
    """Play one episode to its end; after a fault again from the start, on a fresh environment, ``retries`` times at most.

    Every fault's cause is kept in the trajectory; one too many ends it as ``fault``.

    Between two attempts nothing is waited for (what broke was ended before its fault was raised, so closing it is instant):
    an engine whose batches must not depend on the clock never sees a moment without this episode.
    """
    faults: list[str] = []
    while True:
        trajectory = Trajectory(
            environment=world.settings.id,
            task=job.task.id,
            category=job.task.category,
            seed=job.seed,
            group=job.group,
            index=job.index,
            horizon=job.horizon,
            attempt=len(faults),
        )
        healthy = False
        environment = None
        try:
            environment = world.acquire()
            await _take_turns(job, environment, actor, trajectory)
            healthy = True
        except EnvironmentFault as fault:
            faults.append(str(fault))
            trajectory.ended = "fault"
        finally:
            if environment is not None:
                await world.release(environment, healthy=healthy)
        trajectory.faults = list(faults)
        if healthy or len(faults) > retries:
            return trajectory


async def _take_turns(job: EpisodeJob, environment: AsyncEnvironment, actor: Actor, trajectory: Trajectory) -> None:
    # Begun before the world is ready: an engine that waits for all its sessions then waits for this one too.
    episode = actor.begin(job, environment, trajectory.attempt)
    state = None
    try:
        state = await environment.reset(job.task, job.seed, admissible=actor.wants_admissible)
        for number in range(job.horizon):
            state_key = state.info.get("state_key")
            turn = await episode.act(state, number)
            turn.state_key = state_key
            trajectory.turns.append(turn)
            if turn.action is None:
                turn.understood = False
                turn.score, turn.success = trajectory.score, trajectory.success
                state = replace(state, observation=turn.problem or "", reward=0.0)
                continue
            state = await environment.step(turn.action, admissible=actor.wants_admissible)
            turn.reward, turn.understood = state.reward, bool(state.info["understood"])
            turn.score = trajectory.score = float(state.info["score"])
            turn.success = trajectory.success = bool(state.info["success"])
            if state.ended:
                trajectory.ended = "terminated" if state.terminated else "truncated"
                break
    except ContextFull:
        trajectory.ended = "context"
    finally:
        if state is not None:
            trajectory.final_observation = state.text
        episode.finish(trajectory)
