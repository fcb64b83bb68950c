"""A model behind a chat server plays."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym_rl.agents.engines.protocol import Message, Sampling
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.rollout.chat_actor import ChatActor
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.task_set import Task

JOB = EpisodeJob(Task("a", "workshop", "train", "easy"), seed=0, group=0, index=0, horizon=3)
WORLD: Any = SimpleNamespace(instructions="Act.", action_schema=())


class Server:
    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[list[Message]] = []

    async def chat(self, messages: Sequence[Message], sampling: Sampling) -> str:
        assert sampling.max_tokens == 9
        self.asked.append(list(messages))
        return self.answers.pop(0)


def state(text: str) -> Transition:
    return Transition(text, 0.0, False, False, {})


def test_messages_become_actions_and_the_conversation_goes_on() -> None:
    server = Server("Thought: look.\nAction: look", "hm")
    episode = ChatActor(server, AgentSettings(), Sampling(max_tokens=9)).begin(JOB, WORLD, 0)
    first = asyncio.run(episode.act(state("You see a box."), 0))
    second = asyncio.run(episode.act(state("It is red."), 1))
    assert (first.observation, first.message, first.action) == ("You see a box.", "Thought: look.\nAction: look", "look")
    assert second.action is None
    assert second.problem is not None
    assert "Action:" in second.problem
    assert [message["role"] for message in server.asked[1]] == ["system", "user", "assistant", "user"]
    assert server.asked[1][0]["content"].startswith("Act.\n\nAnswer in this form")
    assert [message["content"] for message in server.asked[1][1:]] == ["You see a box.", first.message, "It is red."]


def test_without_instructions_there_is_no_system_message() -> None:
    server = Server("look")
    actor = ChatActor(server, AgentSettings(format="raw", instructions=""), Sampling(max_tokens=9))
    asyncio.run(actor.begin(JOB, WORLD, 0).act(state("You see a box."), 0))
    assert server.asked == [[{"role": "user", "content": "You see a box."}]]


def test_a_server_cannot_restrict_messages() -> None:
    with pytest.raises(ValueError, match=r"agent\.action_space=admissible needs local weights"):
        ChatActor(Server(), AgentSettings(action_space="admissible"), Sampling())
