"""What a world breaks of the contract is a fault, never a reward."""

import math
import sys

import pytest

from agentgym_rl.environments.aio.session import Session
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Task, TaskSet

TASK = Task("only", "odd", "train", "all")
INFO = {"score": 0.0, "success": False, "understood": True, "state_key": None}


class Odd(Environment):
    """Returns what it is told to."""

    id, summary, instructions, action_schema = "odd", "odd", "", ()
    start = "begin", INFO
    answer = "go on", 0.0, False, False, INFO
    listed = ("wait",)

    @classmethod
    def tasks(cls, split):
        return TaskSet([TASK] if split == "train" else [])

    def _begin(self, _task):
        return self.start

    def _act(self, action):
        if action == "exit":
            sys.exit(0)
        if action == "page":
            raise ValueError("line\n\n line\n" + "x" * 100_000)
        return self.answer

    def admissible_actions(self):
        return None if self.listed is None else list(self.listed)


def step(**changes):
    world = Odd()
    vars(world).update(changes)
    session = Session(world)
    session.reset(TASK, 0, admissible=False)
    return session.step("wait", admissible=True)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (("x", math.nan, False, False, INFO), "the reward nan"),
        (("x", -math.inf, True, False, INFO), "the reward -inf"),
        (("x", "one", True, False, INFO), "could not convert string to float"),
        ((None, 0.0, False, False, INFO), "an observation without text: NoneType"),
        (({"image": 1}, 0.0, False, False, INFO), "an observation without text: dict"),
        ((b"x", 0.0, False, False, INFO), "an observation without text: bytes"),
        (("x", 1.0, True, False, {**INFO, "score": 7.0}), r"the score 7.0, which is not in \[0, 1\]"),
        (("x", 1.0, True, False, {**INFO, "score": math.nan}), "the score nan"),
        (("x", 1.0, True, False, {"score": 0.0}), "an info without success and understood"),
        (("x", 1.0, True, False, {}), "KeyError: 'score'"),
        (None, "TypeError"),
    ],
)
def test_answers_out_of_the_contract(answer, words):
    with pytest.raises(EnvironmentFault, match=f"odd: .*{words}"):
        step(answer=answer)


@pytest.mark.parametrize(("listed", "words"), [((), "no admissible action"), ((1,), "that are no strings")])
def test_lists_out_of_the_contract(listed, words):
    with pytest.raises(EnvironmentFault, match=words):
        step(listed=listed)
    ended = step(listed=listed, answer=("end", 1.0, True, False, {**INFO, "score": 1.0}))
    assert ended.admissible is None


@pytest.mark.parametrize(
    "answer",
    [
        ({"text": "x", "image": 1}, 0.5, False, False, INFO),
        ("x", 1.0, True, False, {**INFO, "score": 1 + 1e-9}),
        ("", -0.5, False, True, {**INFO, "more": 1}),
    ],
)
def test_answers_of_the_contract(answer):
    transition = step(answer=answer)
    assert (transition.observation, transition.reward, transition.info) == (answer[0], answer[1], answer[4])
    assert step(listed=None, answer=answer).admissible is None


def test_a_bad_start():
    world = Odd()
    world.start = 5, INFO
    with pytest.raises(EnvironmentFault, match="odd: the world gave an observation without text: int"):
        Session(world).reset(TASK, 0, admissible=True)


def test_a_world_that_exits_does_not_end_the_run():
    session = Session(Odd())
    session.reset(TASK, 0, admissible=False)
    with pytest.raises(EnvironmentFault, match="odd: step raised SystemExit: 0"):
        session.step("exit", admissible=False)


def test_a_cause_is_one_short_line():
    session = Session(Odd())
    session.reset(TASK, 0, admissible=False)
    with pytest.raises(EnvironmentFault, match=r"^odd: step raised ValueError: line line x{490}$"):
        session.step("page", admissible=False)
