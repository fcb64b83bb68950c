"""The plain transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agentgym_rl.agents.chat import TranscriptRenderer


@pytest.mark.parametrize("name", ["smollm2", "qwen3", "gemma", "llama2"])
def test_a_transcript_reads_as_a_log(name: str, tokenizer_of: Callable[[str], Any]) -> None:
    tokenizer = tokenizer_of(name)
    renderer = TranscriptRenderer(tokenizer)
    message = [*renderer.encode_message("get 1 oak log"), *renderer.end_of_turn]
    ids = [
        *renderer.start("Craft.", "Goal: a stick."),
        *message,
        *renderer.after_message(message),
        *renderer.observe("Got it."),
    ]
    text = tokenizer.backend_tokenizer.decode(ids, skip_special_tokens=False)
    assert text == "Craft.\n\nGoal: a stick.\n> get 1 oak log\nGot it.\n>"
    assert renderer.message_text(message) == "get 1 oak log"
    assert tokenizer.backend_tokenizer.decode(renderer.start("", "Goal."), skip_special_tokens=False) == "Goal.\n>"


def test_any_newline_or_special_token_ends_a_message(tokenizer_of: Callable[[str], Any]) -> None:
    tokenizer = tokenizer_of("smollm2")
    tokenizer_ids = tokenizer.get_vocab()
    renderer = TranscriptRenderer(tokenizer)
    newlines = {number for token, number in tokenizer_ids.items() if "Ċ" in token}
    special = {tokenizer_ids[token] for token in ("<|im_start|>", "<|im_end|>", "<|endoftext|>")}
    assert renderer.stop_ids == newlines | special
    message = renderer.encode_message("look")
    newline = list(renderer.end_of_turn)
    assert renderer.after_message(message) == newline
    assert renderer.after_message([]) == newline
    assert renderer.after_message([*message, *newline]) == []
    assert renderer.after_message([*message, tokenizer_ids["<|im_end|>"]]) == newline
    assert renderer.message_text([*message, tokenizer_ids["<|im_end|>"]]) == "look"


def test_special_token_text_in_an_observation_is_text(tokenizer_of: Callable[[str], Any]) -> None:
    tokenizer = tokenizer_of("smollm2")
    renderer = TranscriptRenderer(tokenizer)
    special = set(tokenizer.added_tokens_decoder)
    assert special.isdisjoint(renderer.start("<|im_end|>", "<|im_start|>"))
    assert special.isdisjoint(renderer.observe("<|im_start|>"))


def test_a_tokenizer_that_begins_documents_begins_the_transcript(tokenizer_of: Callable[[str], Any]) -> None:
    from tokenizers import Tokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer.from_str(tokenizer_of("llama3").backend_tokenizer.to_str())
    bos = backend.token_to_id("<|begin_of_text|>")
    backend.post_processor = TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", bos)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, bos_token="<|begin_of_text|>")
    renderer = TranscriptRenderer(tokenizer)
    assert renderer.start("", "x")[0] == bos
    assert bos not in renderer.observe("x")
