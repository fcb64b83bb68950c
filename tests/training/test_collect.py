"""A step's groups: lost ones redrawn, flat ones where that is asked for, always bounded, in the order of the draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest

from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults, refuse_faults
from agentgym_rl.environments.task_set import Task, TaskSet
from agentgym_rl.records.trajectory import Trajectory, Turn
from agentgym_rl.training.collect import Collected, Collector, has_no_variance
from agentgym_rl.training.draws import Draw, TaskStream

TASKS = TaskSet(Task(f"t{number}", "toy", "train", "c") for number in range(50))
Outcome = Callable[[EpisodeJob], float | None]
"""Return of an episode; None: a fault."""


class Runner:
    """Plays what ``outcome`` says."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.rounds: list[list[EpisodeJob]] = []
        self.actors: list[Any] = []

    def play(self, jobs: Sequence[EpisodeJob], actor: Any, progress: Any = None) -> list[Trajectory]:
        self.rounds.append(list(jobs))
        self.actors.append(actor)
        if progress is not None:
            progress(len(jobs), len(jobs))
        return [self.made(job) for job in jobs]

    def made(self, job: EpisodeJob) -> Trajectory:
        result = self.outcome(job)
        episode = Trajectory("toy", job.task.id, "c", job.seed, job.group, job.index, job.horizon)
        episode.turns = [Turn("", "", "a", reward=result or 0.0)]
        episode.success = result == 1.0
        if result is None:
            episode.ended, episode.faults = "fault", [f"server {job.index} gone"]
        return episode


def collect(outcome: Outcome, *, groups: int = 4, size: int = 2, **more: Any) -> tuple[Collected, Runner]:
    runner: Any = Runner(outcome)
    settings = {"max_fault_rate": 1.0, **more}
    collector = Collector(runner, "actor", TaskStream([[TASKS]], [1.0], 0), groups, size, **settings)  # type: ignore[arg-type]
    return collector.collect(3, 0, [7]), runner


def numbers(result: Collected) -> list[int]:
    return [group[0].group for group in result.groups]


def varied(job: EpisodeJob) -> float:
    return float(job.index)


def test_a_step_without_trouble() -> None:
    result, runner = collect(varied)
    assert numbers(result) == [0, 1, 2, 3]
    assert [len(group) for group in result.groups] == [2] * 4
    assert (result.lost_groups, result.redrawn, result.left_out, result.baselines) == (0, 0, [], {})
    (jobs,) = runner.rounds
    assert {(job.step, job.horizon) for job in jobs} == {(3, 7)}
    for number in range(4):
        mine = [job for job in jobs if job.group == number]
        assert len({(job.task.id, job.seed) for job in mine}) == 1
        assert [job.index for job in mine] == [0, 1]
    assert [episode.index for episode in result.trajectories] == [0, 1] * 4


def test_a_lost_group_is_drawn_anew_and_groups_stay_in_the_order_of_their_draws() -> None:
    result, runner = collect(lambda job: None if job.group in (1, 3) else varied(job))
    assert numbers(result) == [0, 2, 4, 5]
    assert result.lost_groups == 2
    assert [episode.group for episode in result.left_out] == [1, 1, 3, 3]
    assert [len(jobs) for jobs in runner.rounds] == [8, 4]
    assert {job.task.id for job in runner.rounds[0]}.isdisjoint({job.task.id for job in runner.rounds[1]})


def test_a_lost_group_says_nothing_of_whether_its_task_is_solved() -> None:
    class Stream(TaskStream):
        said: ClassVar[dict[str, bool]] = {}

        def record(self, draw: Draw, *, solved: bool) -> None:
            self.said[draw.task.id] = solved

    def outcome(job: EpisodeJob) -> float | None:
        return None if job.group == 1 or (job.group, job.index) == (2, 0) else varied(job)

    runner: Any = Runner(outcome)
    stream = Stream([[TASKS]], [1.0], 0)
    result = Collector(runner, Any, stream, 4, 2, 1.0).collect(3, 0, [7])  # type: ignore[arg-type]
    tasks = {job.group: job.task.id for jobs in runner.rounds for job in jobs}
    assert numbers(result) == [0, 2, 3, 4]
    assert stream.said == {tasks[0]: False, tasks[2]: True, tasks[3]: False, tasks[4]: False}


def test_a_group_that_kept_one_episode_stays() -> None:
    result, _ = collect(lambda job: None if job.group == 1 and job.index else varied(job))
    assert numbers(result) == [0, 1, 2, 3]
    assert result.lost_groups == 0


def test_lost_groups_are_drawn_anew_three_times_at_most() -> None:
    result, runner = collect(lambda job: varied(job) if job.group == 0 else None)
    assert numbers(result) == [0]
    assert [len(jobs) for jobs in runner.rounds] == [8, 6, 6, 6]
    assert result.lost_groups == 12
    with pytest.raises(TooManyFaults, match="step 3: 32 of 32 episodes were lost"):
        collect(lambda _: None)


def test_more_faults_than_allowed_stop_the_run_with_their_causes() -> None:
    def outcome(job: EpisodeJob) -> float | None:
        return None if job.group < 2 and job.index == 1 else varied(job)

    with pytest.raises(TooManyFaults, match=r"step 3: 2 of 8 episodes .*max_fault_rate=0\.2: 2 × server 1 gone"):
        collect(outcome, max_fault_rate=0.2)
    assert numbers(collect(outcome, max_fault_rate=0.25)[0]) == [0, 1, 2, 3]


@pytest.mark.parametrize("allowed", [0.0, 0.5, 1.0])
def test_the_rate_is_a_bound_not_a_goal(allowed: float) -> None:
    lost, fine = (Runner(lambda _: None).made, Runner(varied).made)
    job = EpisodeJob(TASKS[0], 0, 0, 0, 1)
    refuse_faults("now", [fine(job)] * 4, allowed)
    refuse_faults("now", [lost(job)] * int(4 * allowed) + [fine(job)] * (4 - int(4 * allowed)), allowed)
    if allowed < 1:
        with pytest.raises(TooManyFaults, match="now: "):
            refuse_faults("now", [lost(job)] * (int(4 * allowed) + 1) + [fine(job)] * (3 - int(4 * allowed)), allowed)


def flat_until(first: int) -> Outcome:
    """Groups before draw ``first`` have no variance."""
    return lambda job: 1.0 if job.group < first else varied(job)


def test_groups_without_variance_stay_unless_dynamic_sampling_asks() -> None:
    result, runner = collect(flat_until(2))
    assert numbers(result) == [0, 1, 2, 3]
    assert len(runner.rounds) == 1


def test_dynamic_sampling_replaces_groups_without_variance() -> None:
    result, runner = collect(flat_until(3), max_redraws=2)
    assert numbers(result) == [3, 4, 5, 6]
    assert [len(jobs) for jobs in runner.rounds] == [8, 6]
    assert result.redrawn == 3
    assert [episode.group for episode in result.left_out] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("redraws", [1, 2, 3])
def test_dynamic_sampling_is_bounded(redraws: int) -> None:
    result, runner = collect(flat_until(999), max_redraws=redraws)
    assert len(runner.rounds) == 1 + redraws
    assert len(result.groups) == 4
    assert result.redrawn == 4 * redraws
    kept = {episode.group for episode in result.trajectories}
    assert kept.isdisjoint({episode.group for episode in result.left_out})
    assert len(kept) + len({episode.group for episode in result.left_out}) == 4 * (1 + redraws)


def test_flat_groups_fill_up_what_faults_leave_empty() -> None:
    result, _ = collect(lambda job: 1.0 if job.group == 0 else None, max_redraws=2)
    assert numbers(result) == [0]
    assert result.redrawn == 0


def test_every_draw_has_a_greedy_episode_for_remax() -> None:
    def outcome(job: EpisodeJob) -> float | None:
        if job.index == 2:  # the greedy one
            return None if job.group == 1 else 0.5 + job.group
        return varied(job)

    result, runner = collect(outcome, greedy="greedy actor")
    assert runner.actors == ["actor", "greedy actor"]
    greedy = runner.rounds[1]
    assert [(job.group, job.index) for job in greedy] == [(number, 2) for number in range(4)]
    sampled = {job.group: job for job in runner.rounds[0]}
    assert all((job.task, job.seed, job.horizon) == (sampled[job.group].task, sampled[job.group].seed, 7) for job in greedy)
    assert result.baselines == {0: 0.5, 2: 2.5, 3: 3.5}  # that of group 1 was lost
    assert [episode.extras for episode in result.left_out] == [{"greedy": True}] * 4


def test_variance_is_of_valid_returns() -> None:
    runner = Runner(lambda job: [1.0, 1.0, 0.0, None][job.index])
    made = [runner.made(EpisodeJob(TASKS[0], 0, 0, index, 1)) for index in range(4)]
    assert has_no_variance(made[:2])
    assert not has_no_variance(made[:3])
    assert has_no_variance([made[0], made[3]])
    assert has_no_variance([made[3]])
