"""What a step says about its episodes."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym_rl.records.trajectory import Segment, Trajectory, Turn
from agentgym_rl.training.metrics import episode_metrics


def episode(environment: str = "toy", rewards: tuple[float, ...] = (0.0, 1.0), **more: Any) -> Trajectory:
    turns = [Turn("", "", "a", reward=reward) for reward in rewards]
    length = 10
    segment = Segment([1] * length, [False] * length, [False] * length, [0.0] * length, [-1] * length)
    values = {"score": sum(rewards), "success": sum(rewards) == 1, "ended": "terminated", **more}
    return Trajectory(environment, "t", "c", 0, 0, 0, 5, turns=turns, segments=[segment], **values)


def test_means_over_valid_episodes() -> None:
    lost = episode(rewards=(99.0,), ended="fault", faults=["gone"])
    cut = episode(rewards=(0.0, 0.0, 0.0), ended="horizon", attempt=1, window_drops=2, history_rewrites=1)
    cut.turns[1].understood = False
    cut.turns[2].stop = "length"
    full = episode(rewards=(0.5,), ended="context")
    own_limit = episode(rewards=(0.5,), ended="truncated")
    values = episode_metrics([[episode(), lost], [cut, full, own_limit]], ["toy"])
    assert values["reward/mean"] == pytest.approx(0.5)
    assert values["score/mean"] == pytest.approx(0.5)
    assert values["success/mean"] == pytest.approx(0.25)
    assert values["turns/mean"] == pytest.approx(7 / 4)
    assert values["episodes/truncated"] == pytest.approx(0.5)  # horizon and context; a world's own limit is no cut
    assert values["episodes/not_understood"] == pytest.approx(1 / 7)
    assert values["episodes/cut_messages"] == pytest.approx(1 / 7)
    assert values["episodes/faults"] == 1
    assert values["episodes/retried"] == 1
    assert values["episodes/window_drops"] == 2
    assert values["episodes/history_rewrites"] == 1
    assert values["groups/zero_variance"] == pytest.approx(0.5)
    assert values["tokens/total"] == 40


def test_several_environments_have_numbers_of_their_own() -> None:
    values = episode_metrics([[episode("a")], [episode("b", (0.0,))], [episode("b", (1.0,))]], ["a", "b", "c", "b"])
    assert values["a/success/mean"] == 1
    assert values["b/success/mean"] == 0.5
    assert values["success/mean"] == pytest.approx(2 / 3)
    assert values["c/success/mean"] is None  # it was not drawn in this step
    assert not any(name.startswith("toy/") for name in episode_metrics([[episode()]], ["toy"]))


def test_what_the_step_does_not_train_on_counts_too() -> None:
    lost = [episode(ended="fault", faults=["gone"]), episode("b", ended="fault", faults=["gone"])]
    redrawn = [episode("b"), episode("b")]
    greedy = [episode(extras={"greedy": True}), episode(ended="fault", faults=["gone"], extras={"greedy": True})]
    values = episode_metrics([[episode(rewards=(0.0,))]], ["toy", "b"], [*lost, *redrawn, *greedy])
    assert values["episodes/faults"] == 3
    assert values["toy/episodes/faults"] == 2
    assert values["b/episodes/faults"] == 1
    assert values["success/mean"] == pytest.approx(2 / 3)  # a group that was redrawn for being solved throughout was solved
    assert values["b/success/mean"] == 1
    assert values["groups/zero_variance"] == 1  # of the groups trained on
    assert values["tokens/total"] == 30


def test_nothing_but_faults_is_no_number() -> None:
    values = episode_metrics([[episode(ended="fault", faults=["x"])]], ["toy"])
    assert values["success/mean"] is None
    assert values["reward/mean"] is None
    assert values["episodes/faults"] == 1
