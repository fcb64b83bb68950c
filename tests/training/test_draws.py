"""The stream of tasks: every task before any comes again, stages, weights, and going on exactly."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.task_set import Task, TaskSet
from agentgym_rl.training.draws import Draw, TaskStream


def tasks(name: str, count: int) -> TaskSet:
    return TaskSet(Task(f"{name}{number}", name, "train", "c") for number in range(count))


EASY, WIDE = tasks("easy", 5), TaskSet([*tasks("easy", 5), *tasks("hard", 4)])


def take(stream: TaskStream, count: int, stage: int = 0) -> list[Draw]:
    return [stream.draw(stage) for _ in range(count)]


def test_every_task_comes_before_any_comes_again_in_a_new_order() -> None:
    stream = TaskStream([[EASY]], [1.0], 0)
    rounds = [[draw.task.id for draw in take(stream, 5)] for _ in range(6)]
    assert all(sorted(one) == sorted(task.id for task in EASY) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 3
    assert len({draw.seed for draw in take(stream, 50)}) == 50


def test_stages_have_streams_of_their_own_and_the_last_one_stays() -> None:
    stream = TaskStream([[EASY, WIDE]], [1.0], 0)
    assert {draw.task.id for draw in take(stream, 5, 0)} == {task.id for task in EASY}
    assert {draw.task.id for draw in take(stream, 9, 1)} == {task.id for task in WIDE}
    assert {draw.task.id for draw in take(stream, 9, 7)} == {task.id for task in WIDE}


def test_worlds_come_by_weight() -> None:
    stream = TaskStream([[EASY], [tasks("other", 3)]], [3.0, 1.0], 0)
    draws = take(stream, 2000)
    share = Counter(draw.world for draw in draws)[0] / 2000
    assert abs(share - 0.75) < 0.03  # three standard deviations of a share of 2000 draws
    assert all(draw.task.environment == ("easy", "other")[draw.world] for draw in draws)


@given(before=st.integers(0, 40), after=st.integers(1, 40), seed=st.integers(0, 3))
def test_a_saved_stream_goes_on_exactly(before: int, after: int, seed: int) -> None:
    def stream() -> TaskStream:
        return TaskStream([[EASY, WIDE], [tasks("other", 3)]], [2.0, 1.0], seed, [0.5, 0.9])

    straight, saved = stream(), stream()
    for number in range(before):
        draw = straight.draw(number % 2)
        assert draw == saved.draw(number % 2)
        for one in (straight, saved):
            one.record(draw, solved=number % 3 > 0)
    again = stream()
    state: dict[str, Any] = json.loads(json.dumps(saved.state_dict()))
    take(saved, 3)  # the state is a copy
    again.load_state_dict(state)
    assert [straight.draw(number % 2) for number in range(after)] == [again.draw(number % 2) for number in range(after)]


@given(solved=st.sets(st.integers(0, 8), max_size=9), seed=st.integers(0, 50))
def test_certain_skipping_plays_only_what_is_not_solved(solved: set[int], seed: int) -> None:
    stream = TaskStream([[WIDE]], [1.0], seed, [1.0])
    for number in solved:
        stream.record(Draw(0, WIDE[number], 0), solved=True)
    kept = [task.id for number, task in enumerate(WIDE) if number not in solved]
    drawn = [draw.task.id for draw in take(stream, 2 * len(kept) or 3)]
    if kept:
        assert sorted(drawn) == sorted(kept * 2)


def test_solved_tasks_come_as_often_as_the_chance_says() -> None:
    stream = TaskStream([[EASY]], [1.0], 0, [0.75])
    stream.record(Draw(0, EASY[0], 0), solved=True)
    count = Counter(draw.task.id for draw in take(stream, 4000))
    assert abs(count["easy0"] / count["easy1"] - 0.25) < 0.06  # three standard errors
    stream.record(Draw(0, EASY[0], 0), solved=False)
    count = Counter(draw.task.id for draw in take(stream, 50))
    assert abs(count["easy0"] - count["easy1"]) <= 1


def test_seeds_give_other_draws() -> None:
    one, other = (take(TaskStream([[WIDE]], [1.0], seed), 9) for seed in (0, 1))
    assert [draw.task for draw in one] != [draw.task for draw in other]
    assert {draw.seed for draw in one}.isdisjoint({draw.seed for draw in other})


def test_draws_are_the_same_on_every_machine() -> None:
    (draw,) = take(TaskStream([[EASY]], [1.0], 0), 1)
    assert (draw.task.id, draw.seed) == ("easy4", 906521670)
