"""One episode: turns, endings, faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym_rl.agents.rollout.actor import ContextFull, EpisodeJob
from agentgym_rl.agents.rollout.episode import play_episode
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.task_set import Task
from agentgym_rl.records.trajectory import Trajectory, Turn

TASK = Task("t", "toy", "train", "easy")
Step = tuple[str, float, bool, bool, float] | Exception


def transition(
    text: str, reward: float = 0.0, terminated: bool = False, truncated: bool = False, score: float = 0.0
) -> Transition:
    info = {"score": score, "success": score == 1, "understood": "?" not in text, "state_key": f"after {text}"}
    return Transition(text, reward, terminated, truncated, info, None if terminated or truncated else ("a", "b"))


class Toy:
    """An asynchronous environment whose answers are listed; an exception is raised."""

    instructions, action_schema = "Act.", ()

    def __init__(self, script: Sequence[Step], bad_start: Exception | None = None) -> None:
        self.script = list(script)
        self.bad_start = bad_start
        self.actions: list[str] = []
        self.asked: list[bool] = []
        self.closed = False

    async def reset(self, task: Task, seed: int, *, admissible: bool = False) -> Transition:
        assert (task, seed) == (TASK, 5)
        self.asked.append(admissible)
        if self.bad_start:
            raise self.bad_start
        return transition("start")

    async def step(self, action: str, *, admissible: bool = False) -> Transition:
        self.actions.append(action)
        self.asked.append(admissible)
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return transition(*answer)

    async def close(self) -> None:
        self.closed = True


class Toys:
    """A world that gives its environments out one after another."""

    settings = SimpleNamespace(id="toy")

    def __init__(self, *environments: Toy) -> None:
        self.environments = list(environments)
        self.kept: list[Toy] = []

    def acquire(self) -> Toy:
        return self.environments.pop(0)

    async def release(self, environment: Toy, *, healthy: bool) -> None:
        if healthy:
            self.kept.append(environment)
        else:
            await environment.close()


class Speaker:
    """An actor with a list of actions; None: an unreadable message; an exception is raised."""

    def __init__(self, *actions: str | Exception | None, wants_admissible: bool = False) -> None:
        self.actions = actions
        self.wants_admissible = wants_admissible
        self.began: list[int] = []
        self.finished: list[Trajectory] = []
        self.states: list[str] = []

    def begin(self, job: EpisodeJob, environment: Any, attempt: int) -> Any:  # noqa: ARG002
        self.began.append(attempt)
        left = list(self.actions)

        async def act(state: Transition, turn: int) -> Turn:  # noqa: ARG001
            self.states.append(state.text)
            action = left.pop(0)
            if isinstance(action, Exception):
                raise action
            return Turn(state.text, action or "hm", action, problem=None if action else "Say an action.")

        return SimpleNamespace(act=act, finish=self.finished.append)


def play(actor: Speaker, *environments: Toy, horizon: int = 5, retries: int = 2) -> tuple[Trajectory, Toys]:
    world: Any = Toys(*environments)
    job = EpisodeJob(TASK, seed=5, group=3, index=1, horizon=horizon)
    return asyncio.run(play_episode(job, world, actor, retries=retries)), world


def test_turns_rewards_and_the_end_of_the_world() -> None:
    environment = Toy([("one", 0.25, False, False, 0.25), ("two?", 0.75, True, False, 1.0)])
    actor = Speaker("a", "b")
    trajectory, world = play(actor, environment)
    assert (trajectory.environment, trajectory.task, trajectory.category) == ("toy", "t", "easy")
    assert (trajectory.seed, trajectory.group, trajectory.index, trajectory.horizon) == (5, 3, 1, 5)
    assert trajectory.ended == "terminated"
    assert trajectory.rewards == [0.25, 0.75]
    assert (trajectory.score, trajectory.success) == (1.0, True)
    assert [turn.understood for turn in trajectory.turns] == [True, False]
    assert [turn.state_key for turn in trajectory.turns] == ["after start", "after one"]
    assert [turn.score for turn in trajectory.turns] == [0.25, 1.0]
    assert trajectory.final_observation == "two?"
    assert world.kept == [environment]
    assert environment.asked == [False] * 3
    assert actor.finished == [trajectory]


@pytest.mark.parametrize(
    ("script", "horizon", "ended"),
    [
        ([("one", 0.0, False, True, 0.0)], 5, "truncated"),
        ([("one", 0.0, False, False, 0.0)] * 2, 2, "horizon"),
    ],
)
def test_other_endings(script: list[Step], horizon: int, ended: str) -> None:
    trajectory, _ = play(Speaker("a", "a", "a"), Toy(script), horizon=horizon)
    assert trajectory.ended == ended
    assert len(trajectory.turns) == min(horizon, len(script))


def test_an_unreadable_message_costs_a_turn_and_never_reaches_the_world() -> None:
    environment = Toy([("one", 0.5, False, False, 0.5)])
    actor = Speaker("a", None, None)
    trajectory, _ = play(actor, environment, horizon=3)
    assert environment.actions == ["a"]
    assert actor.states == ["start", "one", "Say an action."]
    assert [turn.understood for turn in trajectory.turns] == [True, False, False]
    assert trajectory.rewards == [0.5, 0.0, 0.0]
    assert [turn.score for turn in trajectory.turns] == [0.5, 0.5, 0.5]
    assert trajectory.turns[2].state_key == "after one"
    assert trajectory.ended == "horizon"
    assert trajectory.final_observation == "Say an action."


def test_a_full_context_ends_the_episode_with_what_it_earned() -> None:
    trajectory, world = play(Speaker("a", ContextFull("no room")), Toy([("one", 0.5, False, False, 0.5)]))
    assert (trajectory.ended, trajectory.rewards, trajectory.valid) == ("context", [0.5], True)
    assert trajectory.final_observation == "one"
    assert len(world.kept) == 1


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Toy([("one", 0.5, False, False, 0.5), EnvironmentFault("browser crashed")]),
        lambda: Toy([], bad_start=EnvironmentFault("browser crashed")),
    ],
)
def test_a_fault_is_retried_from_the_start_on_a_fresh_environment(broken: Callable[[], Toy]) -> None:
    first, second = broken(), Toy([("one", 1.0, True, False, 1.0)])
    actor = Speaker("a", "b", wants_admissible=True)
    trajectory, world = play(actor, first, second)
    assert first.closed
    assert world.kept == [second]
    assert actor.began == [0, 1]
    assert len(actor.finished) == 2
    assert (trajectory.attempt, trajectory.ended, trajectory.rewards) == (1, "terminated", [1.0])
    assert trajectory.faults == ["browser crashed"]
    assert set(second.asked) == {True}


def test_too_many_faults_end_the_episode_as_one() -> None:
    toys = [Toy([EnvironmentFault(f"crash {number}")]) for number in range(3)]
    trajectory, world = play(Speaker("a"), *toys, retries=2)
    assert (trajectory.ended, trajectory.valid, trajectory.attempt) == ("fault", False, 2)
    assert trajectory.faults == ["crash 0", "crash 1", "crash 2"]
    assert all(toy.closed for toy in toys)
    assert not world.kept


def test_a_bug_is_raised_once_everything_is_put_away() -> None:
    environment = Toy([])
    actor = Speaker(ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        play(actor, environment)
    assert environment.closed
    assert len(actor.finished) == 1


def test_the_actor_begins_before_the_world_is_reset() -> None:
    """So that an engine that waits for all its sessions waits for this one too."""
    seen = []
    environment = Toy([("one", 0.0, True, False, 0.0)])
    actor = Speaker("a")
    begin = actor.begin
    actor.begin = lambda *arguments: seen.append(list(environment.asked)) or begin(*arguments)  # type: ignore[method-assign,func-returns-value]
    play(actor, environment)
    assert seen == [[]]
