"""The episodes of a step: draws played, lost groups redrawn, groups without variance redrawn where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentgym_rl.agents.rollout.actor import Actor, EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults, refuse_faults
from agentgym_rl.agents.rollout.runner import Progress, RolloutRunner
from agentgym_rl.records.trajectory import Trajectory
from agentgym_rl.training.draws import TaskStream

_MAX_LOST_ROUNDS = 3
"""How often groups that were lost to faults are drawn anew in one step."""


@dataclass(slots=True)
class Collected:
    """The groups of a step in the order in which they were drawn."""

    groups: list[list[Trajectory]] = field(default_factory=list)
    left_out: list[Trajectory] = field(default_factory=list)
    """Episodes of groups that were redrawn: recorded, not trained on."""
    baselines: dict[int, float] = field(default_factory=dict)
    """Return of the greedy episode of each draw, where one was asked for."""
    lost_groups: int = 0
    redrawn: int = 0
    """Groups without variance that were replaced."""

    @property
    def trajectories(self) -> list[Trajectory]:
        """The episodes of all groups, group by group."""
        return [trajectory for group in self.groups for trajectory in group]


@dataclass(frozen=True, slots=True)
class Collector:
    """Plays the episodes of steps.

    ``greedy`` plays one more episode a draw, whose return is the baseline of ReMax.
    """

    runner: RolloutRunner
    actor: Actor
    stream: TaskStream
    groups: int
    group_size: int
    max_fault_rate: float
    max_redraws: int = 0
    greedy: Actor | None = None

    def collect(self, step: int, stage: int, horizons: Sequence[int], progress: Progress | None = None) -> Collected:
        """The episodes of ``step``. ``horizons``: the most turns an episode may take, for each world.

        Raises:
            TooManyFaults: see there.
        """
        result = Collected()
        spare: list[list[Trajectory]] = []
        played: list[Trajectory] = []
        drawn = 0
        redraws, lost_rounds = self.max_redraws, _MAX_LOST_ROUNDS
        while len(result.groups) < self.groups:
            need = self.groups - len(result.groups)
            draws = [self.stream.draw(stage) for _ in range(need)]
            jobs = [
                EpisodeJob(draw.task, draw.seed, drawn + number, index, horizons[draw.world], step, draw.world)
                for number, draw in enumerate(draws)
                for index in range(self.group_size)
            ]
            episodes = self.runner.play(jobs, self.actor, progress)
            played += episodes
            refuse_faults(f"step {step}", played, self.max_fault_rate)
            was_lost = was_flat = False
            for number in range(need):
                group = episodes[number * self.group_size : (number + 1) * self.group_size]
                played_through = [episode.success for episode in group if episode.valid]
                if played_through:  # a group that was lost says nothing about its task
                    self.stream.record(draws[number], solved=all(played_through))
                if not any(episode.valid for episode in group):
                    was_lost = True
                    result.lost_groups += 1
                    result.left_out += group
                elif redraws and has_no_variance(group):
                    was_flat = True
                    spare.append(group)
                else:
                    result.groups.append(group)
            if self.greedy is not None:
                played += self._play_greedy(self.greedy, jobs[:: self.group_size], result)
                refuse_faults(f"step {step}", played, self.max_fault_rate)
            drawn += need
            redraws -= was_flat
            lost_rounds -= was_lost
            if lost_rounds < 0:
                break
        if not result.groups and not spare:
            raise TooManyFaults.among(f"step {step}", played, self.max_fault_rate)
        missing = self.groups - len(result.groups)
        result.groups += spare[: max(0, missing)]
        result.redrawn = len(spare[max(0, missing) :])
        result.left_out += [episode for group in spare[max(0, missing) :] for episode in group]
        result.groups.sort(key=lambda group: group[0].group)
        return result

    def _play_greedy(self, greedy: Actor, jobs: Sequence[EpisodeJob], result: Collected) -> list[Trajectory]:
        greedy_jobs = [
            EpisodeJob(job.task, job.seed, job.group, self.group_size, job.horizon, job.step, job.world) for job in jobs
        ]
        episodes = self.runner.play(greedy_jobs, greedy)
        for episode in episodes:
            episode.extras["greedy"] = True
            result.left_out.append(episode)
            if episode.valid:
                result.baselines[episode.group] = sum(episode.rewards)
        return episodes


def has_no_variance(group: Sequence[Trajectory]) -> bool:
    """Whether the valid episodes of a group all have the same return: nothing to compare."""
    return len({sum(episode.rewards) for episode in group if episode.valid}) <= 1
