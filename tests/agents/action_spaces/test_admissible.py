"""Messages restricted to admissible actions."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.agents.action_spaces.admissible import AdmissibleSpace, CannotRestrict, Choices
from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.chat import ChatRenderer, TemplateRenderer, TranscriptRenderer
from agentgym_rl.agents.engines.protocol import DrawKey, SampleRequest, SampleResult, Sampling
from agentgym_rl.agents.formats import format_named

ACTIONS = ["go to red ball 1", "go to red ball 10", "go to red ball 11", "look", "look around"]
FORMATS = ["raw", "react", "backticks", "tags"]


def leaves(node: TokenTrie) -> list[tuple[int, ...]]:
    if not node.children:
        return [()]
    return [(token, *rest) for token in node.choices() for rest in leaves(node.children[token])]


def space_of(
    tokenizer_of: Callable[[str], Any], family: str, name: str, thought: int = 0
) -> tuple[ChatRenderer, AdmissibleSpace]:
    renderer = (
        TranscriptRenderer(tokenizer_of("smollm2")) if family == "transcript" else TemplateRenderer(tokenizer_of(family))
    )
    return renderer, AdmissibleSpace(renderer, format_named(name, ()), thought_tokens=thought)


@given(sequences=st.sets(st.lists(st.integers(0, 3), max_size=5).map(lambda ids: (*ids, 9)), min_size=1))
def test_the_leaves_of_a_trie_are_its_sequences(sequences: set[tuple[int, ...]]) -> None:
    trie = TokenTrie.build(sequences)
    assert leaves(trie) == sorted(sequences)
    for order in itertools.islice(itertools.permutations(sorted(sequences)), 5):
        assert leaves(TokenTrie.build(order)) == leaves(trie)


@given(sequences=st.lists(st.lists(st.integers(0, 2), max_size=3).map(tuple), max_size=5))
def test_a_trie_refuses_prefixes_whatever_the_order(sequences: list[tuple[int, ...]]) -> None:
    whole = set(sequences)
    bad = not whole or any(a != b and b[: len(a)] == a for a in whole for b in whole) or () in whole
    if bad:
        with pytest.raises(ValueError, match="action space"):
            TokenTrie.build(sequences)
    else:
        assert leaves(TokenTrie.build(sequences)) == sorted(whole)


@pytest.mark.parametrize("family", ["smollm2", "llama3", "gemma", "transcript"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_sequence_is_one_action(family: str, name: str, tokenizer_of: Callable[[str], Any]) -> None:
    renderer, space = space_of(tokenizer_of, family, name)
    choices = space.choices(ACTIONS)
    found = leaves(choices.trie)
    assert sorted(map(choices.action_of, found)) == sorted(ACTIONS)
    assert choices.longest == max(map(len, found))
    for ids in found:
        assert format_named(name, ()).read(renderer.message_text(ids)).action == choices.action_of(ids)
        assert ids[-1] in renderer.stop_ids
        assert not set(ids[:-1]) & renderer.stop_ids
    with pytest.raises(KeyError):
        choices.action_of(found[0][:-1])


def test_states_that_come_again_are_remembered(tokenizer_of: Callable[[str], Any]) -> None:
    _, space = space_of(tokenizer_of, "smollm2", "react")
    assert space.choices(ACTIONS) is space.choices(list(ACTIONS))


def test_what_cannot_be_told_apart_is_an_error(tokenizer_of: Callable[[str], Any]) -> None:
    _, space = space_of(tokenizer_of, "smollm2", "raw")
    assert leaves(space.choices(["look", "look"]).trie) == leaves(space.choices(["look"]).trie)
    with pytest.raises(CannotRestrict, match=r"cannot tell '\\ud83d' from '�'"):
        space.choices(["\ud83d", "\ufffd"])
    with pytest.raises(CannotRestrict, match="lists no admissible actions"):
        space.choices([])
    _, space = space_of(tokenizer_of, "smollm2", "react")
    with pytest.raises(CannotRestrict, match="the react format cannot carry"):
        space.choices([" look"])
    with pytest.raises(ValueError, match=r"raw format has no place for a thought: set agent\.thought_tokens=0"):
        space_of(tokenizer_of, "smollm2", "raw", thought=5)


class Thinker:
    """Samples ``thought``, then the action's sequence number ``choice``."""

    def __init__(self, thought: Sequence[int], choice: int, kept: bool) -> None:
        self.thought = list(thought)
        self.choice = choice
        self.kept = kept
        self.requests: list[SampleRequest] = []

    def open(self, group: int) -> int:
        return group

    def close(self, session: int) -> None: ...

    async def sample(self, request: SampleRequest) -> SampleResult:
        self.requests.append(request)
        if request.allowed is not None:
            ids = list(leaves(request.allowed)[self.choice])
            return SampleResult(ids, [True] * len(ids), [-2.0] * len(ids), kept=[[1, 2]] * len(ids), policy_version=3)
        end = next((place + 1 for place, token in enumerate(self.thought) if token in request.stop_ids), len(self.thought))
        ids = self.thought[: min(end, request.sampling.max_tokens)]
        kept = [[7]] * len(ids) if self.kept else None
        return SampleResult(ids, [True] * len(ids), [-1.0] * len(ids), "length", kept=kept)


def think(
    renderer: ChatRenderer, space: AdmissibleSpace, thought: Sequence[int], *, room: int = 0, kept: bool = False
) -> tuple[Thinker, Choices, SampleResult, str]:
    engine = Thinker(thought, 1, kept)
    choices = space.choices(ACTIONS)
    sampling = Sampling(max_tokens=room or choices.longest + 50)
    request = SampleRequest(1, [5, 6], DrawKey(1, 2, 3, 4, 5, 6), sampling, renderer.stop_ids)
    result, action = asyncio.run(space.sample(engine, request, choices))
    assert len(result.token_ids) == len(result.sampled) == len(result.log_probs) <= sampling.max_tokens
    assert len(result.token_ids) - len(result.sampled) == 0
    assert result.policy_version == 3
    assert result.kept is not None
    assert len(result.kept) == sum(result.sampled)
    return engine, choices, result, action


@pytest.mark.parametrize("family", ["smollm2", "llama3", "gemma", "transcript"])
@pytest.mark.parametrize("name", ["react", "backticks", "tags"])
@pytest.mark.parametrize("ending", ["newline", "limit", "end of turn", "nothing"])
def test_a_thought_before_the_action(family: str, name: str, ending: str, tokenizer_of: Callable[[str], Any]) -> None:
    renderer, space = space_of(tokenizer_of, family, name, thought=12)
    words = renderer.encode_continuing(" red ball first")
    end = {
        "newline": renderer.encode_continuing("\n"),
        "limit": [],
        "end of turn": list(renderer.end_of_turn),
        "nothing": [],
    }[ending]
    engine, choices, result, action = think(renderer, space, [] if ending == "nothing" else [*words, *end])
    assert len(engine.requests) == 2
    free, restricted = engine.requests
    opening = free.context[2:]
    assert restricted.context[:2] == [5, 6]
    assert [*restricted.context[2:], *result.token_ids[len(restricted.context) - 2 :]] == result.token_ids
    assert result.token_ids[: len(opening)] == opening
    assert not any(result.sampled[: len(opening)])
    assert free.key != restricted.key, "two phases must not share their random numbers"
    assert free.sampling.max_tokens == 12
    assert restricted.sampling.max_tokens == choices.longest
    assert action == choices.action_of(leaves(choices.trie)[1])
    assert result.kept == [[] for on in result.sampled[: len(restricted.context) - 2] if on] + [[1, 2]] * len(
        leaves(choices.trie)[1]
    )
    text = renderer.message_text(result.token_ids)
    if not (ending == "end of turn" and family != "transcript"):
        assert format_named(name, ()).read(text).action == action, text
    assert ("red ball first" in text) == (ending != "nothing")


def test_a_thought_takes_only_the_room_there_is(tokenizer_of: Callable[[str], Any]) -> None:
    renderer, space = space_of(tokenizer_of, "smollm2", "react", thought=12)
    longest = space.choices(ACTIONS).longest
    words = renderer.encode_continuing("red ball first, then the blue key")
    engine, _, result, _ = think(renderer, space, words, room=longest + 3, kept=True)
    assert engine.requests[0].sampling.max_tokens == 3
    assert result.kept is not None
    assert result.kept[0] == [7]
    engine, _, _, _ = think(renderer, space, words, room=longest)
    assert len(engine.requests) == 1, "no room: no thought"


def test_without_a_thought_there_is_one_request(tokenizer_of: Callable[[str], Any]) -> None:
    renderer, space = space_of(tokenizer_of, "smollm2", "react")
    engine, choices, result, action = think(renderer, space, [])
    assert [request.allowed for request in engine.requests] == [choices.trie]
    assert engine.requests[0].key.turn == 6
    assert action == choices.action_of(result.token_ids)
