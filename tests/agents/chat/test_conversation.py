"""Trained ids are sampled ids, and what the engine saw is the training prefix (invariant 1), whatever is sampled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.agents.chat import ChatRenderer, Conversation, TemplateRenderer, TranscriptRenderer
from agentgym_rl.agents.engines.protocol import SampleResult
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.agents.settings import WindowSettings

FAMILIES = ["smollm2", "qwen2_5", "qwen3", "llama3", "gemma", "llama2", "r1", "transcript"]
_RENDERERS: dict[str, ChatRenderer] = {}


def renderer_of(name: str, tokenizer_of: Callable[[str], Any]) -> ChatRenderer:
    if name not in _RENDERERS:
        transcript = name == "transcript"
        tokenizer = tokenizer_of("smollm2" if transcript else name)
        _RENDERERS[name] = TranscriptRenderer(tokenizer) if transcript else TemplateRenderer(tokenizer)
    return _RENDERERS[name]


def result_of(ids: list[int], begin: int = 0) -> SampleResult:
    """Every token with a log-prob of its own; every third one forced."""
    sampled = [place % 3 != 2 for place in range(begin, begin + len(ids))]
    return SampleResult(
        list(ids), sampled, [-float(begin + place + 1) if sampled[place] else 0.0 for place in range(len(ids))]
    )


OBSERVATIONS = st.lists(
    st.sampled_from(["<|im_end|>", "</think>", "\ud83d", "key ", "\n"]) | st.text(max_size=6), max_size=5
)
WINDOWS = st.sampled_from(
    [
        WindowSettings(),
        WindowSettings(turns=1),
        WindowSettings(turns=2),
        WindowSettings(tokens=160),
        WindowSettings(turns=3, tokens=200),
    ]
)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("history", ["keep", "template"])
@given(data=st.data())
def test_trained_ids_are_sampled_ids(
    name: str, history: Literal["keep", "template"], data: st.DataObject, tokenizer_of: Callable[[str], Any]
) -> None:
    renderer = renderer_of(name, tokenizer_of)
    tokenizer = tokenizer_of("smollm2" if name == "transcript" else name)
    vocabulary = len(tokenizer)
    thought = [tokenizer.convert_tokens_to_ids("</think>")] if name == "qwen3" else renderer.encode_message("</think>")
    token = st.integers(0, vocabulary - 1) | st.sampled_from(sorted(renderer.stop_ids))
    few = st.lists(token, max_size=3)
    messages = st.lists(token, min_size=1, max_size=6) | st.builds(lambda a, b: [*a, *thought, *b], few, few)
    window = data.draw(WINDOWS)
    conversation = Conversation(renderer, "Do <|im_end|> it.", context_limit=400, window=window, history=history)
    seen: list[tuple[list[int], list[int]]] = []
    drawn = 0
    for _ in range(data.draw(st.integers(1, 6))):
        try:
            conversation.observe("".join(data.draw(OBSERVATIONS)))
        except ContextFull:
            break
        assert 1 <= conversation.room <= 400 - len(conversation.context)
        ids = data.draw(messages)[: conversation.room]
        seen.append((list(conversation.context), ids))
        conversation.add_message(result_of(ids, drawn))
        drawn += len(ids)
    segments = conversation.segments
    trained = [turn for segment in segments for turn in check_segment(segment, seen)]
    assert trained == list(range(len(seen))), "each message is trained exactly once"
    log_probs = [
        value for segment in segments for value, turn in zip(segment.log_probs, segment.turns, strict=True) if turn >= 0
    ]
    assert log_probs == result_of([0] * drawn).log_probs
    assert len(segments) - 1 <= conversation.history_rewrites + conversation.window_drops <= 2 * (len(segments) - 1)
    if window.turns is None and window.tokens is None and history == "keep":
        assert len(segments) == 1


def check_segment(segment: Any, seen: list[tuple[list[int], list[int]]]) -> list[int]:
    """The turns that ``segment`` trains, each checked against what was seen and sampled."""
    length = len(segment)
    assert (
        len(segment.action_mask)
        == len(segment.sampled_mask)
        == len(segment.log_probs)
        == len(segment.turns)
        == length
        <= 400
    )
    for place in range(length):
        assert (segment.turns[place] >= 0) == segment.action_mask[place]
        assert not segment.sampled_mask[place] or segment.action_mask[place]
        assert segment.sampled_mask[place] or segment.log_probs[place] == 0.0
    turns = sorted({turn for turn in segment.turns if turn >= 0})
    for turn in turns:
        places = [place for place in range(length) if segment.turns[place] == turn]
        context, ids = seen[turn]
        assert places == list(range(len(context), len(context) + len(ids)))
        assert segment.token_ids[: len(context)] == context
        assert [segment.token_ids[place] for place in places] == ids
    return turns


@pytest.mark.parametrize("name", FAMILIES)
def test_the_context_only_grows(name: str, tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of(name, tokenizer_of)
    conversation = Conversation(renderer, "Act.", context_limit=1000)
    grown: list[int] = []
    for observation in ("a box", "a key", "a door"):
        conversation.observe(observation)
        assert conversation.context[: len(grown)] == grown
        message = renderer.encode_message("open it")
        before = list(conversation.context)
        assert conversation.add_message(result_of(message)).strip() == "open it"
        grown = list(conversation.context)
        assert grown == [*before, *message, *renderer.closing]


def test_a_full_context_is_said_and_changes_nothing(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("smollm2", tokenizer_of)
    needed = len(renderer.start("Act.", "a box")) + 1 + len(renderer.closing)
    conversation = Conversation(renderer, "Act.", context_limit=needed - 1)
    with pytest.raises(ContextFull, match=f"first observation the context takes {needed - 3} tokens"):
        conversation.observe("a box")
    assert conversation.segments == []
    conversation = Conversation(renderer, "Act.", context_limit=needed)
    conversation.observe("a box")
    assert conversation.room == 1
    conversation.add_message(result_of([7]))
    assert len(conversation.context) == needed, "the closing ids fit too"
    before = list(conversation.context)
    with pytest.raises(ContextFull, match=r"next observation .* set agent\.window"):
        conversation.observe("")
    assert conversation.context == before
    assert len(conversation.segments) == 1


def play(conversation: Conversation, renderer: ChatRenderer, observations: list[str], message: str = "open it") -> list[str]:
    """The contexts as text, one a turn."""
    contexts = []
    for observation in observations:
        conversation.observe(observation)
        contexts.append(renderer.message_text([*conversation.context, *renderer.encode_message("x")]))
        conversation.add_message(result_of([*renderer.encode_message(message), *renderer.end_of_turn]))
    return contexts


def test_a_window_of_turns_keeps_the_goal_and_the_last_ones(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("smollm2", tokenizer_of)
    conversation = Conversation(renderer, "Act.", context_limit=1000, window=WindowSettings(turns=2))
    contexts = play(conversation, renderer, ["GOAL", "one", "two", "three"])
    assert conversation.window_drops == 2
    assert len(conversation.segments) == 3
    user, model = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
    assert contexts[2] == (
        f"<|im_start|>system\nAct.<|im_end|>\n{user}GOAL\n\n[1 earlier turn is left out]\n\none{model}"
        f"open it<|im_end|>\n{user}two{model}x"
    )
    assert "GOAL\n\n[2 earlier turns are left out]\n\ntwo" in contexts[3]
    assert "one" not in contexts[3]


def test_a_token_budget_shortens_then_drops(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("smollm2", tokenizer_of)
    limit = 700
    window = WindowSettings(tokens=limit)
    conversation = Conversation(renderer, "Act.", context_limit=10_000, window=window, message_tokens=10)
    pages = [f"page {number} " + "key door box ball " * 25 for number in range(12)]
    goal = "GOAL " + "red blue green grey " * 10
    contexts = play(conversation, renderer, [goal, *pages])
    assert all(len(segment) <= limit for segment in conversation.segments)
    assert all(goal in context for context in contexts)
    assert all(page in context for page, context in zip(pages, contexts[1:], strict=True)), "the newest is whole"
    shortened = next(context for context in contexts if "[…]" in context)
    assert "left out" not in shortened, "observations are shortened before turns are dropped"
    assert "left out" in contexts[-1]
    assert 1 < conversation.window_drops <= 6, "a drop makes room for several turns"
    assert len(conversation.segments) == 1 + conversation.window_drops


def test_an_observation_that_is_too_long_is_shortened_at_last(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("smollm2", tokenizer_of)
    conversation = Conversation(renderer, "", context_limit=400, window=WindowSettings(turns=3), message_tokens=20)
    contexts = play(conversation, renderer, ["GOAL", "word " * 2000, "two"])
    assert "GOAL" in contexts[1]
    assert "word word" in contexts[1]
    assert conversation.window_drops == 2
    assert len(conversation.segments[1]) <= 400
    with pytest.raises(ContextFull, match="first observation"):
        Conversation(renderer, "", context_limit=400, window=WindowSettings(turns=3)).observe("word " * 2000)


def test_a_window_that_cannot_even_hold_the_goal_is_full(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("smollm2", tokenizer_of)
    goal = "word " * 50
    limit = len(renderer.start("", goal)) + 12
    conversation = Conversation(renderer, "", context_limit=limit, window=WindowSettings(turns=1))
    play(conversation, renderer, [goal])
    with pytest.raises(ContextFull, match="next observation"):
        conversation.observe("a much longer observation " * 9)
    assert len(conversation.segments) == 1


def ids_of(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def test_history_as_the_template_writes_it(tokenizer_of: Callable[[str], Any]) -> None:
    tokenizer = tokenizer_of("qwen3")
    renderer = renderer_of("qwen3", tokenizer_of)
    conversation = Conversation(renderer, "Act.", context_limit=1000, history="template")
    messages = [{"role": "system", "content": "Act."}]
    for number, thought in enumerate(["<think>\nA box?\n</think>\n\n", "", "<think>\nA key.\n</think>\n\n"]):
        conversation.observe(f"thing {number}")
        messages.append({"role": "user", "content": f"thing {number}"})
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        assert conversation.context == ids_of(tokenizer, text)
        conversation.add_message(result_of(ids_of(tokenizer, f"{thought}open it<|im_end|>")))
        messages.append({"role": "assistant", "content": f"{thought}open it"})
    conversation.observe("end")
    assert conversation.history_rewrites == 2
    assert [sorted({turn for turn in segment.turns if turn >= 0}) for segment in conversation.segments] == [[0], [1, 2], []]
    kept = Conversation(renderer, "Act.", context_limit=1000, history="keep")
    play(kept, renderer, ["a box", "a key"], message="I think</think>open it")
    assert (kept.history_rewrites, len(kept.segments)) == (0, 1)


def test_a_prompt_that_opens_a_thought_is_rewritten_too(tokenizer_of: Callable[[str], Any]) -> None:
    tokenizer = tokenizer_of("r1")
    conversation = Conversation(renderer_of("r1", tokenizer_of), "Act.", context_limit=1000, history="template")
    messages = [{"role": "system", "content": "Act."}]
    for number in range(3):
        conversation.observe(f"thing {number}")
        messages.append({"role": "user", "content": f"thing {number}"})
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        assert conversation.context == ids_of(tokenizer, text)
        conversation.add_message(result_of(ids_of(tokenizer, "Logs.</think>open it<|end|>")))
        messages.append({"role": "assistant", "content": "Logs.</think>open it"})
    assert conversation.history_rewrites == 2


def test_a_template_that_rewrites_nothing_starts_no_segment(tokenizer_of: Callable[[str], Any]) -> None:
    renderer = renderer_of("llama3", tokenizer_of)
    conversation = Conversation(renderer, "Act.", context_limit=1000, history="template")
    play(conversation, renderer, ["a", "b", "c"], message="hm</think>open it")
    assert (conversation.history_rewrites, len(conversation.segments)) == (0, 1)
