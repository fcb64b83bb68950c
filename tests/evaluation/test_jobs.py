"""The episodes of an evaluation are named by seed, task and sample alone: what makes two evaluations paired."""

from __future__ import annotations

from agentgym_rl.environments.task_set import Task
from agentgym_rl.evaluation.jobs import evaluation_jobs, stable_number

TASKS = [Task(f"t-{i}", "toy", "test", "c") for i in range(50)]


def test_numbers_are_those_of_every_process() -> None:
    assert stable_number("environment", 0, "toy", "t-1", 0) == 1670923587
    assert stable_number("a", "b") != stable_number("ab")


def test_a_task_plays_alike_in_every_panel() -> None:
    whole = {(job.task.id, job.index): job for job in evaluation_jobs(TASKS, seed=1, samples=3, horizon=5)}
    part = evaluation_jobs(TASKS[::7], seed=1, samples=2, horizon=5)
    assert [whole[job.task.id, job.index] for job in part] == part


def test_seeds_differ_between_tasks_samples_and_evaluations() -> None:
    jobs = [job for seed in (1, 2) for job in evaluation_jobs(TASKS, seed=seed, samples=2, horizon=5)]
    assert len({job.seed for job in jobs}) == len(jobs)
    assert len({job.group for job in jobs}) == 2 * len(TASKS)
    assert [(job.task.id, job.index) for job in jobs[:3]] == [("t-0", 0), ("t-0", 1), ("t-1", 0)]
