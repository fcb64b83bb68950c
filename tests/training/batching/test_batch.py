"""Trajectories as tensors: where rewards, masks and log-probs lie, segments, faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from agentgym_rl.agents.settings import WindowSettings
from agentgym_rl.records.trajectory import Segment, Trajectory, Turn
from agentgym_rl.training.batching.batch import make_batch


def segment(*parts: tuple[int, list[tuple[int, bool, float]]]) -> Segment:
    """Parts are (turn, [(id, sampled, log-prob), ...]); turn -1 is context."""
    made = Segment()
    for turn, tokens in parts:
        for token, sampled, log_prob in tokens:
            made.token_ids.append(token)
            made.action_mask.append(turn >= 0)
            made.sampled_mask.append(sampled)
            made.log_probs.append(log_prob)
            made.turns.append(turn)
    return made


def context(*ids: int) -> tuple[int, list[tuple[int, bool, float]]]:
    return -1, [(token, False, 0.0) for token in ids]


def episode(index: int, rewards: list[float], segments: list[Segment], **more: Any) -> Trajectory:
    turns = [Turn("", "", "a", reward=reward, state_key=f"s{number}") for number, reward in enumerate(rewards)]
    return Trajectory("toy", "t", "c", 0, 3, index, 5, turns=turns, segments=segments, **more)


TWO = [
    segment(context(1, 2), (0, [(3, True, -0.5), (4, False, 0.0)]), context(5)),
    # A window dropped the first turn's message: repeated context is masked.
    segment(context(1, 2, 6), (1, [(7, True, -0.25), (8, True, -1.0)]), context(9)),
]


def test_two_segments_lie_one_after_another() -> None:
    batch = make_batch([episode(0, [0.5, -1.0], TWO), episode(1, [0.0], [segment(context(1), (0, [(2, True, -2.0)]))])])
    assert batch.token_ids == [[1, 2, 3, 4, 5, 1, 2, 6, 7, 8, 9], [1, 2]]
    assert batch.segment_starts == [[0, 5], [0]]
    assert batch.action_mask[0].nonzero()[:, 0].tolist() == [2, 3, 8, 9]
    assert batch.sampled_mask[0].nonzero()[:, 0].tolist() == [2, 8, 9]
    assert batch.turns[0].tolist() == [-1, -1, 0, 0, -1, -1, -1, -1, 1, 1, -1]
    assert batch.rewards[0].tolist() == [0, 0, 0, 0.5, 0, 0, 0, 0, 0, -1.0, 0]
    assert batch.engine_log_probs[0].tolist() == [0, 0, -0.5, 0, 0, 0, 0, 0, -0.25, -1.0, 0]
    assert batch.turns[1].tolist() == [-1, 0] + [-1] * 9
    assert batch.groups.tolist() == [3, 3]
    assert batch.states == [["s0", "s1"], ["s0"]]
    assert len(batch) == 2


def test_what_was_kept_belongs_to_sampled_tokens_in_order() -> None:
    trajectory = episode(0, [0.0, 0.0], TWO)
    trajectory.turns[1].kept = [[7, 70], []]
    assert make_batch([trajectory]).kept == [[None, [7, 70], None]]
    trajectory.turns[1].kept = [[7, 70]]
    with pytest.raises(ValueError, match=r"episode 3.0 of task t: 1 sets of kept ids for 2 sampled tokens"):
        make_batch([trajectory])


@pytest.mark.parametrize(
    ("ended", "valid", "truncated"),
    [
        ("terminated", True, False),
        ("truncated", True, False),
        ("horizon", True, True),
        ("context", True, True),
        ("fault", False, False),
    ],
)
def test_endings(ended: Any, valid: bool, truncated: bool) -> None:
    batch = make_batch([episode(0, [1.0, 0.0], TWO, ended=ended)])
    assert batch.valid.tolist() == [valid]
    assert batch.truncated.tolist() == [truncated]


def test_a_fault_has_no_rewards_even_where_they_are_nan() -> None:
    lost = episode(0, [float("nan"), 1.0], TWO, ended="fault", faults=["gone"])
    never_began = episode(1, [], [], ended="fault", faults=["gone"])
    batch = make_batch([lost, never_began])
    assert not batch.rewards.any()
    assert batch.valid.tolist() == [False, False]


def test_an_episode_without_a_turn() -> None:
    batch = make_batch([episode(0, [], [segment(context(1, 2))], ended="context"), episode(1, [1.0, 0.0], TWO)])
    assert not batch.action_mask[0].any()
    assert batch.valid.tolist() == [True, True]
    assert make_batch([episode(0, [], [], ended="context")]).action_mask.shape == (1, 0)


def test_episodes_as_they_are_played(make_tiny: Callable[..., Any], rollout: Any) -> None:
    """Windowed, with rewards on turns: what the tensors say is what the records say."""
    trajectories = rollout(make_tiny(), horizon=5, size=3, window=WindowSettings(turns=2))
    for number, trajectory in enumerate(trajectories):
        for place, turn in enumerate(trajectory.turns):
            turn.reward = number + 0.125 * (place + 1)
    batch = make_batch(trajectories)
    assert max(map(len, batch.segment_starts)) > 2
    for row, trajectory in enumerate(trajectories):
        for place, turn in enumerate(trajectory.turns):
            tokens = (batch.turns[row] == place).nonzero()[:, 0]
            assert batch.rewards[row, tokens[-1]] == turn.reward
            assert not batch.rewards[row, tokens[:-1]].any()
        assert float(batch.rewards[row].sum()) == pytest.approx(sum(trajectory.rewards))
        assert int(batch.sampled_mask[row].sum()) == len(batch.kept[row])
        assert torch.equal(batch.turns[row] >= 0, batch.action_mask[row])
