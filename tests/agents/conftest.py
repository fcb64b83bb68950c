"""Small tokenizers of each family, trained here, with chat templates in the family's style."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

settings.register_profile("agents", deadline=None)
settings.load_profile("agents")

TEMPLATES = Path(__file__).parent / "chat" / "templates"
CORPUS = [
    "You are in a small workshop. get 2 oak log, craft 4 oak planks using 1 oak log, inventory",
    "go to red ball 1; go to red ball 10; pick up the blue key and open the grey door",
    "user assistant system model Thought: I need planks first.\nAction: get 1 oak log\n\nYou see nothing.",
] * 4
QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FAMILIES: dict[str, dict[str, str | list[str]]] = {
    "smollm2": {
        "special": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        "bos": "<|im_start|>",
        "eos": "<|im_end|>",
        "pad": "<|im_end|>",
    },
    "qwen2_5": {
        "special": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        "plain": ["<tool_call>", "</tool_call>"],
        "eos": "<|im_end|>",
        "pad": "<|endoftext|>",
    },
    "qwen3": {
        "special": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        "plain": ["<think>", "</think>", "<tool_response>"],
        "eos": "<|im_end|>",
        "pad": "<|endoftext|>",
    },
    "llama3": {
        "special": ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
        "bos": "<|begin_of_text|>",
        "eos": "<|eot_id|>",
        "pad": "<|end_of_text|>",
    },
    "gemma": {
        "special": ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"],
        "bos": "<bos>",
        "eos": "<eos>",
        "pad": "<pad>",
    },
    "r1": {
        "special": ["<|begin|>", "<|end|>", "<|user|>", "<|assistant|>"],
        "bos": "<|begin|>",
        "eos": "<|end|>",
        "pad": "<|end|>",
    },
}


def byte_level(special: list[str], plain: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(pattern=Regex(QWEN_PATTERN), behavior="isolated")
    byte = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in plain])
    return tokenizer


def unigram(special: list[str], *, prepend: str = "never") -> Tokenizer:
    """SentencePiece-like, the special tokens inside the model's own vocabulary, as Gemma's are."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prepend, split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        if prepend == "never"
        else [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme=prepend)]
    )
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    pieces: list[tuple[str, float]] = []
    for piece in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]):
        pieces.append((piece[0], 0.0 if piece[0] in special else -8.0 - 1 / len(piece[0])))
    known = {piece for piece, _ in pieces}
    pieces += [(name, -20.0) for byte in range(256) if (name := f"<0x{byte:02X}>") not in known]
    tokenizer.model = models.Unigram(pieces, unk_id=special.index("<unk>"), byte_fallback=True)
    return tokenizer


@cache
def family(name: str) -> PreTrainedTokenizerFast:
    """The tokenizer of a family. ``llama2``: a chat template over a tokenizer that puts a space before every text."""
    template = "gemma" if name == "llama2" else name
    entry = FAMILIES[template]
    special, plain = entry["special"], entry.get("plain", [])
    assert isinstance(special, list)
    assert isinstance(plain, list)
    if name in ("gemma", "llama2"):
        backend = unigram(special, prepend="never" if name == "gemma" else "always")
    else:
        backend = byte_level(special, plain)
    names = {f"{role}_token": entry[role] for role in ("bos", "eos", "pad") if role in entry}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **names)
    tokenizer.chat_template = (TEMPLATES / f"{template}.jinja").read_text(encoding="utf-8")
    return tokenizer


@pytest.fixture(scope="session")
def tokenizer_of() -> Callable[[str], PreTrainedTokenizerFast]:
    """The tokenizer of a family by name."""
    return family
