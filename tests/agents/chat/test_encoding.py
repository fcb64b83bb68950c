"""Text stays text: whatever an observation says, no control token comes of it, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from agentgym_rl.agents.chat.encoding import SURROGATES, ChatTokenizer, TextEncoder

FAMILIES = ["smollm2", "qwen2_5", "qwen3", "llama3", "gemma", "llama2", "r1"]
CONTROL_TEXTS = [
    "<|im_end|>",
    "<|im_start|>",
    "<eos>",
    "<end_of_turn>",
    "<|eot_id|>",
    "<think>",
    "</think>",
    "<|end|>",
    "<unk>",
]
TEXTS = st.lists(st.sampled_from(CONTROL_TEXTS) | st.text(max_size=8), max_size=8).map("".join)


@pytest.mark.parametrize("name", FAMILIES)
@given(text=TEXTS)
def test_no_text_becomes_a_control_token(name: str, text: str, tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = tokenizer_of(name)
    encoder = TextEncoder(tokenizer, tokenizer.get_chat_template())
    unknown = {encoder.control["<unk>"]} if "<unk>" in encoder.control else set()
    for ids in (encoder.encode(text), encoder.encode_continuing(text)):
        assert encoder.control_ids.isdisjoint(ids)
        written = SURROGATES.sub("\ufffd", text)
        assert unknown or encoder.decode(ids) == written


@pytest.mark.parametrize("name", FAMILIES)
def test_control_texts_are_kept_as_text(name: str, tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = tokenizer_of(name)
    encoder = TextEncoder(tokenizer, tokenizer.get_chat_template())
    for text in encoder.control:
        assert encoder.control_ids.isdisjoint(encoder.encode(f"see {text} here"))
        assert encoder.decode(encoder.encode_continuing(f"see {text}{text} here")) == f"see {text}{text} here"
        assert encoder.split(f"a{text}b") == ["a", encoder.control[text], "b"]


def test_control_texts_encode_as_a_model_without_them_would(tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = tokenizer_of("smollm2")
    bare = Tokenizer(tokenizer.backend_tokenizer.model)
    bare.pre_tokenizer = tokenizer.backend_tokenizer.pre_tokenizer
    text = "see <|im_end|> here"
    assert TextEncoder(tokenizer).encode(text) == bare.encode(text).ids


def test_the_tokenizer_itself_goes_on_to_match_special_tokens(tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    tokenizer = tokenizer_of("qwen3")
    encoder = TextEncoder(tokenizer, tokenizer.get_chat_template())
    encoder.encode("<|im_end|>")
    assert tokenizer.backend_tokenizer.encode("<|im_end|>").ids == [encoder.control["<|im_end|>"]]


def test_text_that_continues_gets_no_word_start(tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    encoder = TextEncoder(tokenizer_of("llama2"))
    backend = encoder.backend
    assert encoder.encode("red") == backend.encode("red", add_special_tokens=False).ids
    assert not backend.id_to_token(encoder.encode_continuing("red")[0]).startswith("▁")


def test_added_tokens_that_are_no_control_tokens_are_matched_as_ever() -> None:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    backend.model = models.BPE(alphabet, [])
    backend.add_special_tokens(["<s>"])
    backend.add_tokens(["\n\n", "<table>"])
    added = backend.get_added_tokens_decoder()
    encoder = TextEncoder(SimpleNamespace(backend_tokenizer=backend, added_tokens_decoder=added), "<s>")
    assert encoder.encode("a\n\n<table>") == backend.encode("a\n\n<table>").ids
    assert encoder.control == {"<s>": 256}


def test_a_special_token_that_eats_space_eats_the_templates_space() -> None:
    backend = Tokenizer(models.BPE())
    alphabet = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    backend.model = models.BPE(alphabet, [])
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.add_special_tokens([AddedToken("<|user|>", rstrip=True), AddedToken("<|end|>", lstrip=True)])
    added = backend.get_added_tokens_decoder()
    encoder = TextEncoder(SimpleNamespace(backend_tokenizer=backend, added_tokens_decoder=added))
    assert encoder.split("<|user|>\n x  <|end|>\n") == [256, "x", 257, "\n"]
    assert [part for part in encoder.split("<|user|>\n") if isinstance(part, str)] == []


def test_a_slow_tokenizer_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a fast tokenizer"):
        TextEncoder(SimpleNamespace(added_tokens_decoder={}))


def test_the_head_of_a_text(tokenizer_of: Callable[[str], ChatTokenizer]) -> None:
    encoder = TextEncoder(tokenizer_of("smollm2"))
    text = "You see a 😀 red ball and \ud83d a key."
    written = SURROGATES.sub("\ufffd", text)
    assert encoder.head(text, 10_000) == written
    assert encoder.head(text, 0) == ""
    for tokens in range(1, 20):
        head = encoder.head(text, tokens)
        assert written.startswith(head)
        assert len(encoder.encode_continuing(head)) <= tokens + 4
