"""A served model in a world: what it is told, what is read of it, what its window keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.chat_actor import ChatActor
from agentgym_rl.agents.settings import AgentSettings, WindowSettings
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.task_set import Task
from agentgym_rl.records.trajectory import Trajectory, Turn

WORLD = cast("Any", SimpleNamespace(instructions="Open doors.", action_schema=()))
JOB = EpisodeJob(Task("t", "toy", "test", "c"), seed=0, group=0, index=0, horizon=9)


class Echo:
    """Answers with the number of the call; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[Message]] = []

    async def chat(self, messages: Sequence[Message], sampling: Sampling) -> str:
        assert sampling.max_tokens == 5
        self.asked.append(list(messages))
        return f"act {len(self.asked)}"


def play(turns: int, **settings: Any) -> tuple[Echo, list[Turn], Trajectory]:
    engine = Echo()
    episode = ChatActor(engine, AgentSettings(**{"format": "raw", **settings}), Sampling(max_tokens=5)).begin(JOB, WORLD, 0)

    async def run() -> list[Turn]:
        return [await episode.act(Transition(f"see {n}", 0.0, False, False, {}), n) for n in range(1, turns + 1)]

    made = asyncio.run(run())
    record = Trajectory("toy", "t", "c", 0, 0, 0, 9)
    episode.finish(record)
    return engine, made, record


def contents(messages: list[Message]) -> list[str]:
    return [f"{one['role'][0]}:{one['content']}" for one in messages]


def test_the_conversation_grows_turn_by_turn() -> None:
    engine, turns, record = play(2)
    assert contents(engine.asked[1]) == ["s:Open doors.", "u:see 1", "a:act 1", "u:see 2"]
    assert [(turn.observation, turn.message, turn.action) for turn in turns] == [
        ("see 1", "act 1", "act 1"),
        ("see 2", "act 2", "act 2"),
    ]
    assert (record.segments, record.window_drops) == ([], 0)


def test_the_format_is_told_and_read() -> None:
    engine, turns, _ = play(1, format="react")
    assert len(engine.asked[0][0]["content"]) > len("Open doors.")
    assert turns[0].action is None
    assert turns[0].problem


def test_the_window_keeps_the_goal_and_the_last_turns() -> None:
    engine, _, record = play(4, window=WindowSettings(turns=2), instructions="")
    assert contents(engine.asked[1]) == ["u:see 1", "a:act 1", "u:see 2"]
    assert contents(engine.asked[3]) == ["u:see 1\n\n[earlier turns are left out]\n\nsee 3", "a:act 3", "u:see 4"]
    assert record.window_drops == 2


def test_what_needs_tokens_is_refused() -> None:
    for settings, match in (
        (AgentSettings(action_space="admissible"), "action_space=free"),
        (AgentSettings(window=WindowSettings(tokens=99)), "window.turns"),
    ):
        with pytest.raises(ModelError, match=match):
            ChatActor(Echo(), settings, Sampling())
