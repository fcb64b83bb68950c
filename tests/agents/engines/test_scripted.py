"""The engine without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.chat import TranscriptRenderer
from agentgym_rl.agents.engines.protocol import DrawKey, SampleRequest, SampleResult, Sampling
from agentgym_rl.agents.engines.scripted import Script, ScriptedEngine


@pytest.fixture(scope="module")
def renderer(tokenizer_of: Callable[[str], Any]) -> TranscriptRenderer:
    return TranscriptRenderer(tokenizer_of("smollm2"))


def ask(engine: ScriptedEngine, session: int, allowed: TokenTrie | None = None, max_tokens: int = 64) -> SampleResult:
    sampling = Sampling(max_tokens=max_tokens)
    request = SampleRequest(session, [1, 2, 3], DrawKey(0, 0, 0, 0, 0, 0), sampling, frozenset(), allowed)
    return asyncio.run(engine.sample(request))


def test_a_list_is_gone_through_by_every_session(renderer: TranscriptRenderer) -> None:
    engine = ScriptedEngine(renderer, ["look", "get 1 oak log"])
    first, second = engine.open(0), engine.open(0)
    texts = [renderer.message_text(ask(engine, session).token_ids) for session in (first, first, second)]
    assert texts == ["look", "get 1 oak log", "look"]
    with pytest.raises(IndexError):
        ask(engine, first)
    engine.close(first)
    engine.close(first)
    assert engine.sessions == {second}
    assert len(engine.requests) == 4


def test_a_function_sees_the_context(renderer: TranscriptRenderer) -> None:
    engine = ScriptedEngine(renderer, lambda session, context: f"{session} {len(context)}")
    assert renderer.message_text(ask(engine, engine.open(0)).token_ids) == "1 3"


def test_a_message_is_cut_at_the_limit(renderer: TranscriptRenderer) -> None:
    engine = ScriptedEngine(renderer, ["look around", "look around"])
    session = engine.open(0)
    whole = ask(engine, session)
    assert whole.stop == "stop"
    cut = ask(engine, session, max_tokens=2)
    assert (cut.token_ids, cut.stop) == (whole.token_ids[:2], "length")


def test_a_restricted_message_follows_the_trie(renderer: TranscriptRenderer) -> None:
    actions = ["get 1 oak log", "get 10 oak log", "look"]
    sequences = [(*renderer.encode_message(action), *renderer.end_of_turn) for action in actions]
    trie = TokenTrie.build(sequences)
    script: Script = [0, 1, "look", "jump"]
    engine = ScriptedEngine(renderer, script)
    session = engine.open(0)
    for result in (ask(engine, session, trie), ask(engine, session, trie)):
        assert tuple(result.token_ids) in sequences
        assert any(result.sampled)
        assert not all(result.sampled)
    assert renderer.message_text(ask(engine, session, trie).token_ids) == "look"
    with pytest.raises(ValueError, match="'jump', which is not among the admissible actions"):
        ask(engine, session, trie)


def test_a_number_needs_a_trie(renderer: TranscriptRenderer) -> None:
    engine = ScriptedEngine(renderer, [0])
    with pytest.raises(TypeError, match="nothing restricts the message"):
        ask(engine, engine.open(0))
