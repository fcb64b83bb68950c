"""What holds for every estimator, on random batches laid out with any observations and padding."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from torch import Tensor

from agentgym_rl.training.advantages import AdvantageInputs, estimate

ESTIMATORS = [
    "gae",
    "turn_gae",
    "grpo",
    "dr_grpo",
    "rloo",
    "reinforce",
    "reinforce_pp",
    "reinforce_pp_baseline",
    "remax",
    "gigpo",
]
GROUP_ESTIMATORS = ["grpo", "dr_grpo", "rloo", "reinforce_pp_baseline", "gigpo"]


@dataclass
class Turn:
    reward: float
    values: list[float]
    """One a token."""
    state: str


@dataclass
class Episode:
    group: int
    turns: list[Turn]
    baseline: float = 0.0
    truncated: bool = False
    valid: bool = True
    gaps: list[int] = field(default_factory=lambda: [0])
    """Observation tokens before each turn, used round and round."""


def batch(episodes: Sequence[Episode], padding: int = 0, poison: float = 0.0) -> AdvantageInputs:
    """Lay the episodes out as tensors; ``poison`` is the value of observation tokens, and of everything in a fault."""
    rows = []
    for episode in episodes:
        row: list[tuple[float, bool, int, float]] = []
        for number, turn in enumerate(episode.turns):
            row += [(0.0, False, -1, poison)] * episode.gaps[number % len(episode.gaps)]
            rewards = [0.0] * (len(turn.values) - 1) + [turn.reward]
            row += [(reward, True, number, value) for reward, value in zip(rewards, turn.values, strict=True)]
        rows.append(row)
    width = max(map(len, rows)) + padding
    rows = [row + [(0.0, False, -1, poison)] * (width - len(row)) for row in rows]
    rewards, mask, turns, values = (torch.tensor([[token[k] for token in row] for row in rows]) for k in range(4))
    valid = torch.tensor([episode.valid for episode in episodes])
    rewards[~valid] = float("nan")
    return AdvantageInputs(
        rewards=rewards,
        action_mask=mask,
        turns=turns,
        groups=torch.tensor([episode.group for episode in episodes]),
        values=values,
        valid=valid,
        truncated=torch.tensor([episode.truncated for episode in episodes]),
        states=[[turn.state for turn in episode.turns] for episode in episodes],
        baselines=torch.tensor([episode.baseline if episode.valid else float("nan") for episode in episodes]),
    )


def episodes(limit: float = 4.0, exact: bool = True) -> st.SearchStrategy[list[Episode]]:
    """One to eight episodes in up to three groups. ``exact``: rewards are multiples of 1/4, so that ties happen."""
    step = 0.25 if exact else limit / 1000
    rewards = st.integers(-round(limit / step), round(limit / step)).map(lambda k: k * step)
    small = st.integers(-8, 8).map(lambda k: k / 4)
    turn = st.builds(Turn, rewards, st.lists(small, min_size=1, max_size=3), st.sampled_from("abc"))
    gaps = st.lists(st.integers(0, 3), min_size=1, max_size=3)
    episode = st.builds(
        Episode, st.integers(0, 2), st.lists(turn, min_size=1, max_size=4), small, st.booleans(), st.just(True), gaps
    )
    return st.lists(episode, min_size=1, max_size=8)


def run(name: str, inputs: AdvantageInputs) -> Tensor:
    return estimate(name, inputs).advantages


def actions(result: Tensor, inputs: AdvantageInputs) -> list[list[float]]:
    """The numbers of the action tokens of each episode, in order."""
    return [row[mask].tolist() for row, mask in zip(result, inputs.action_mask, strict=True)]


def assert_same(name: str, one: AdvantageInputs, other: AdvantageInputs) -> None:
    assert [pytest.approx(row, abs=1e-5) for row in actions(run(name, one), one)] == actions(run(name, other), other)


each_estimator = pytest.mark.parametrize("name", ESTIMATORS)
quick = settings(deadline=None, max_examples=25)


@each_estimator
@quick
@given(rows=episodes(), padding=st.integers(0, 5))
def test_observations_and_padding_change_nothing(name: str, rows: list[Episode], padding: int) -> None:
    bare = batch([replace(row, gaps=[0]) for row in rows])
    assert_same(name, bare, batch(rows, padding, poison=float("nan")))


@each_estimator
@quick
@given(rows=episodes(), order=st.randoms(use_true_random=False))
def test_permuted_episodes_give_permuted_advantages(name: str, rows: list[Episode], order: random.Random) -> None:
    places = list(range(len(rows)))
    order.shuffle(places)
    straight, permuted = batch(rows), batch([rows[place] for place in places])
    expected = actions(run(name, straight), straight)
    assert [pytest.approx(expected[place], abs=1e-5) for place in places] == actions(run(name, permuted), permuted)


@each_estimator
@quick
@given(rows=episodes(), faults=st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_fault_counts_as_if_it_were_not_there(name: str, rows: list[Episode], faults: list[bool]) -> None:
    marked = [replace(row, valid=not fault) for row, fault in zip(rows, faults, strict=False)]
    kept = [row for row in marked if row.valid]
    assume(kept)
    inputs = batch(marked, poison=float("nan"))
    result = run(name, inputs)
    assert not result[~inputs.valid].any()
    there = [row for row, episode in zip(actions(result, inputs), marked, strict=True) if episode.valid]
    without = batch(kept)
    assert [pytest.approx(row, abs=1e-5) for row in actions(run(name, without), without)] == there


@each_estimator
@quick
@given(rows=episodes())
def test_result_is_float32_zero_off_the_actions_whatever_comes_in(name: str, rows: list[Episode]) -> None:
    inputs = batch(rows)
    half = replace(
        inputs,
        rewards=inputs.rewards.bfloat16(),
        values=inputs.values.bfloat16(),
        baselines=inputs.baselines.double(),
    )
    result = run(name, half)
    assert result.dtype == torch.float32
    assert not result[~inputs.action_mask].any()
    assert_same(name, inputs, half)  # multiples of 1/4 are exact in bfloat16


@each_estimator
@quick
@given(rows=episodes(limit=1e4, exact=False))
def test_finite_for_rewards_up_to_10000(name: str, rows: list[Episode]) -> None:
    assert run(name, batch(rows)).isfinite().all()


@pytest.mark.parametrize("name", GROUP_ESTIMATORS)
@quick
@given(rows=episodes(), shift=st.sampled_from([-64.0, -1.0, 0.25, 3.0, 1024.0]))
def test_a_constant_added_to_a_groups_rewards_changes_nothing(name: str, rows: list[Episode], shift: float) -> None:
    # On the last turn of every episode of group 0. gigpo discounts that turn differently from different places, so here not.
    shifted = [
        replace(row, turns=[*row.turns[:-1], replace(row.turns[-1], reward=row.turns[-1].reward + shift)])
        if not row.group
        else row
        for row in rows
    ]
    options = {"step_weight": 0.0} if name == "gigpo" else {}
    before, after = batch(rows), batch(shifted)
    expected = actions(estimate(name, before, **options).advantages, before)
    assert [pytest.approx(row, abs=2e-4) for row in expected] == actions(estimate(name, after, **options).advantages, after)


PAIR = [Episode(0, [Turn(0.0, [0.5], "a"), Turn(0.0, [0.5], "b")])] * 2


@pytest.mark.parametrize("name", GROUP_ESTIMATORS)
@quick
@example(rows=PAIR, reward=1e-40, split=[0.3, 1.0])
@example(rows=PAIR, reward=1.401298464324817e-45, split=[0.5, 1.0])
@given(
    rows=episodes(),
    reward=st.floats(-1e4, 1e4, width=32),
    split=st.lists(st.floats(0, 1, width=32), min_size=8, max_size=8),
)
def test_equal_returns_give_exactly_zero(name: str, rows: list[Episode], reward: float, split: list[float]) -> None:
    # The same return, given at once or in parts whose float32 sum is a little off: of the smallest numbers, as off as it can be.
    equal = []
    for row, part in zip(rows, split, strict=False):
        turns = [replace(turn, reward=0.0) for turn in row.turns]
        turns[0] = replace(turns[0], reward=reward * part)
        turns[-1] = replace(turns[-1], reward=turns[-1].reward + (reward - reward * part))
        equal.append(replace(row, turns=turns))
    assert not run(name, batch(equal)).any()


@pytest.mark.parametrize("name", GROUP_ESTIMATORS)
def test_a_group_of_one_gets_exactly_zero(name: str) -> None:
    alone = [Episode(group, [Turn(float(group), [0.5], "a")]) for group in range(3)]
    assert not run(name, batch(alone)).any()
    one_left = [*alone, Episode(2, [Turn(9.0, [0.5], "a")], valid=False)]
    assert not run(name, batch(one_left)).any()


@each_estimator
def test_a_batch_of_faults_gets_exactly_zero(name: str) -> None:
    result = run(name, batch([Episode(0, [Turn(1.0, [0.5], "a")], valid=False)] * 2, poison=float("nan")))
    assert result.shape == (2, 1)
    assert not result.any()


@pytest.mark.parametrize("name", GROUP_ESTIMATORS)
def test_groups_do_not_mix(name: str) -> None:
    rows = [Episode(group, [Turn(reward, [0.0], "a")]) for group, reward in ((3, 0.0), (8, 50.0), (3, 1.0), (8, 52.0))]
    apart = [run(name, batch(rows[start::2])) for start in (0, 1)]
    if name == "reinforce_pp_baseline":  # whitened over the batch: only the signs are the group's own
        assert run(name, batch(rows)).sign().flatten().tolist() == [-1, -1, 1, 1]
        return
    torch.testing.assert_close(run(name, batch(rows)), torch.stack([apart[0], apart[1]], 1).reshape(4, 1))
