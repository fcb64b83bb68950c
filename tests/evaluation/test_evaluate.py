"""Evaluations on a small world: paired, resumable, held out, and blind to what is done in between."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import agentgym_rl
from agentgym_rl.agents.players import FixedPlayer, RandomPlayer, player_named
from agentgym_rl.agents.players.player import PlayerEpisode
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.faults import TooManyFaults
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment, Info
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.evaluation import baselines
from agentgym_rl.evaluation.api import _open
from agentgym_rl.evaluation.baselines import best_shortcut, evaluate_players, players_of
from agentgym_rl.evaluation.comparison import compare
from agentgym_rl.evaluation.evaluate import Conditions, evaluate_actor, held_out, trained_categories
from agentgym_rl.evaluation.panel import PanelOverlap
from agentgym_rl.evaluation.store import EpisodeStore
from agentgym_rl.evaluation.subject import find_subject
from agentgym_rl.records.episodes import write_episodes
from agentgym_rl.records.errors import RecordError, RunLocked


class Coin(Environment):
    """Call ``heads`` or ``tails``; the task's number says which wins. ``shared`` trains on what is tested.

    The last ``faulty`` tasks of a split can't be played.
    """

    id: ClassVar[str] = "coin"
    summary: ClassVar[str] = "A coin."
    instructions = "Call heads or tails."
    action_schema = ()

    def __init__(self, shared: bool = False, faulty: int = 0) -> None:
        super().__init__(shared=shared, faulty=faulty)
        self.faulty = faulty

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        prefix = "same" if settings.get("shared") else split
        return TaskSet(Task(f"{split}-{i}", "coin", split, f"side-{i % 2}", content=f"{prefix}-{i}") for i in range(40))

    def _begin(self, task: Task) -> tuple[str, Info]:
        if int(task.id.rpartition("-")[2]) >= 40 - self.faulty:
            raise EnvironmentFault("the mint is closed")
        self._wins = "heads" if task.category == "side-0" else "tails"
        return "Call.", self._info(False)

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        won = action == self._wins
        return "Called.", float(won), won, False, self._info(won)

    def _info(self, won: bool) -> Info:
        return {"score": float(won), "success": won, "understood": True, "state_key": None}

    def admissible_actions(self) -> list[str]:
        return ["heads", "tails"]

    def expert_action(self) -> str:
        return self._wins

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        return {"tails": lambda _: "tails", "edge": lambda _: "edge"}


ONE = Conditions(horizon=1)


def coin(**settings: Any) -> World:
    return World(WorldSettings(id=f"{__name__}:Coin", **settings))


def test_the_panel_is_held_out_and_even() -> None:
    (panel,) = held_out([coin()], "test", 10, ["side-1"])
    assert [task.id for task in panel][:3] == ["test-1", "test-5", "test-9"]
    with pytest.raises(PanelOverlap, match="test-0 = train-0"):
        held_out([coin(options={"shared": True})], "test", 10)


def test_categories_default_to_those_trained_on() -> None:
    assert trained_categories(coin()) is None
    assert trained_categories(coin(stages=[["side-1"], ["side-1", "side-0"]])) == ["side-1", "side-0"]
    (panel,) = held_out([coin(categories=["side-0"])], "test")
    assert panel.categories == ("side-0",)
    with pytest.raises(ValueError, match="unknown category 'side-2'"):
        held_out([coin()], "test", categories=["side-2"])
    with pytest.raises(ValueError, match="no environment has the category 'side-2'"):
        held_out([coin(), coin()], "test", categories=["side-0", "side-2"])


def test_players_and_their_shares() -> None:
    world = coin()
    panels = held_out([world], "test")
    assert players_of(world, panels[0]) == ["random", "shortcut:tails", "shortcut:edge", "expert"]
    with RolloutRunner([world]) as runner:
        found = evaluate_players(runner, panels, Conditions(horizon=1, samples=20))
    assert list(found) == ["random", "shortcut:tails", "expert"]
    shares = {name: one.report.success for name, one in found.items()}
    assert shares["expert"] == 1.0
    assert shares["shortcut:tails"] == 0.5
    assert 0.4 < shares["random"] < 0.6


def test_only_shortcuts_are_played_to_find_the_best_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []

    def counted(*arguments: Any, **more: Any) -> Any:
        played.append(more["name"])
        return evaluate_actor(*arguments, **more)

    monkeypatch.setattr(baselines, "evaluate_actor", counted)
    world = coin()
    with RolloutRunner([world]) as runner:
        assert best_shortcut(runner, held_out([world], "test"), ONE) == "shortcut:tails"
    assert played == ["shortcut:tails", "shortcut:edge"]


def test_the_report_says_what_was_played() -> None:
    world = coin()
    with RolloutRunner([world]) as runner:
        made = evaluate_actor(
            runner,
            FixedPlayer("tails"),
            held_out([world], "test", 6),
            Conditions(horizon=2),
            name="m",
            step=3,
            settings={"model": "x"},
        )
    assert made.report.step == 3
    assert made.report.settings == {
        "split": "test",
        "horizon": 2,
        "samples": 1,
        "temperature": 1.0,
        "seed": 0,
        "environments": [{"id": world.settings.id, "options": {}}],
        "model": "x",
    }
    assert {task: one.success.value for task, one in made.report.categories.items() if one.success} == {
        "side-0": 0,
        "side-1": 1,
    }
    assert [one.task for one in made.trajectories] == ["test-0", "test-6", "test-13", "test-20", "test-26", "test-33"]


def test_evaluations_repeat_themselves_whatever_is_played_in_between() -> None:
    world = coin()
    panels = held_out([world], "test")
    with RolloutRunner([world]) as runner:
        first = evaluate_actor(runner, RandomPlayer(), panels, ONE, name="random")
        np.random.seed(9)
        evaluate_actor(runner, RandomPlayer(5), panels, Conditions(horizon=1, samples=3, seed=1), name="other")
        again = evaluate_actor(runner, RandomPlayer(), panels, ONE, name="random")
        part = evaluate_actor(runner, RandomPlayer(), held_out([world], "test", 7), ONE, name="random")
    assert first.trajectories == again.trajectories
    assert compare(first.report, again.report).success.difference.value == 0
    assert [one for one in first.trajectories if one.task in {two.task for two in part.trajectories}] == part.trajectories


def test_too_many_faults_are_no_result(tmp_path: Path) -> None:
    world = WorldSettings(id=f"{__name__}:Coin", options={"faulty": 4})
    assert agentgym_rl.evaluate("expert", world, horizon=1).overall.faults == 4  # of 40: as many as the default bears
    worse = world.model_copy(update={"options": {"faulty": 5}})
    with pytest.raises(TooManyFaults, match=r"evaluation \(expert\): 5 of 40 .*max_fault_rate=0\.1: 5 × the mint is closed"):
        agentgym_rl.evaluate("expert", worse, horizon=1, out=tmp_path)
    assert len(EpisodeStore(tmp_path)) == 35  # nothing is lost
    with pytest.raises(TooManyFaults, match="5 of 40"):
        agentgym_rl.evaluate("shortcut", worse, horizon=1)
    with RolloutRunner([World(world.model_copy(update={"options": {"faulty": 40}}))]) as runner:
        panels = held_out(runner.worlds, "test")
        with pytest.raises(TooManyFaults, match="40 of 40"):  # there is nothing to report, whatever is borne
            evaluate_actor(runner, FixedPlayer("tails"), panels, ONE, name="m", max_fault_rate=1.0)


def test_the_rate_that_is_borne_may_change_when_an_evaluation_goes_on(tmp_path: Path) -> None:
    settings = find_subject("smollm2-135m-instruct", ["rollout.max_fault_rate=0.5"]).settings
    assert settings.rollout.max_fault_rate == 0.5
    for rate in (0.5, 0.2):
        details = {"rollout": {"retries": 2, "max_fault_rate": rate}}
        _open(tmp_path, "m", ONE, [coin()], details)


class Stopped(Exception):
    """What ends an evaluation early: a failing engine, Ctrl-C."""


class Stopping(FixedPlayer):
    """Plays ``after`` episodes, then stops everything."""

    def __init__(self, after: int) -> None:
        super().__init__("tails")
        self.left = after

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> PlayerEpisode:
        self.left -= 1
        if self.left < 0:
            raise Stopped
        return super().begin(job, environment, attempt)


def evaluate_into(folder: Path, actor: Any, tasks: int = 12, samples: int = 1) -> list[Any]:
    with RolloutRunner([coin()], concurrency=1) as runner:
        made = evaluate_actor(
            runner,
            actor,
            held_out(runner.worlds, "test", tasks),
            Conditions(horizon=1, samples=samples),
            name="m",
            store=EpisodeStore(folder, chunk=4),
        )
    return list(made.trajectories)


def test_what_is_on_disk_is_not_played_again(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        evaluate_into(tmp_path, Stopping(after=7))
    assert len(EpisodeStore(tmp_path)) == 7
    assert sorted(one.name for one in tmp_path.iterdir()) == [".lock", "episodes.jsonl.zst"]
    resumed = evaluate_into(tmp_path, Stopping(after=5))
    assert resumed == evaluate_into(tmp_path / "whole", FixedPlayer("tails"))
    assert evaluate_into(tmp_path, Stopping(after=0)) == resumed


def test_two_evaluations_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with (
        EpisodeStore(tmp_path),
        pytest.raises(RunLocked, match=rf"process {os.getpid()} is evaluating into it.*choose another --out"),
    ):
        evaluate_into(tmp_path, FixedPlayer("tails"))
    assert len(evaluate_into(tmp_path, FixedPlayer("tails"))) == 12


def test_damaged_episodes_are_named_and_may_be_deleted(tmp_path: Path) -> None:
    whole = evaluate_into(tmp_path, FixedPlayer("tails"))
    path = tmp_path / "episodes.jsonl.zst"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(RecordError, match=r"episodes\.jsonl\.zst: damaged .*delete it"):
        EpisodeStore(tmp_path)
    path.unlink()
    assert evaluate_into(tmp_path, FixedPlayer("tails")) == whole


def test_more_samples_keep_the_episodes_there_are(tmp_path: Path) -> None:
    evaluate_into(tmp_path, FixedPlayer("tails"))
    assert len(evaluate_into(tmp_path, Stopping(after=12), samples=2)) == 24
    assert len(EpisodeStore(tmp_path)) == 24


def test_parts_left_by_a_kill_are_read_and_faults_are_played_again(tmp_path: Path) -> None:
    episodes = evaluate_into(tmp_path / "whole", player_named("expert"))
    episodes[1].ended = "fault"
    (tmp_path / "parts").mkdir()
    write_episodes(tmp_path / "parts" / "00000000.jsonl.zst", episodes[:4])
    (tmp_path / "parts" / "00000004.jsonl.zst.partial").write_bytes(b"half")
    assert len(EpisodeStore(tmp_path)) == 3
    resumed = evaluate_into(tmp_path, Stopping(after=9))
    assert len(resumed) == 12
    assert all(one.valid for one in resumed)
