"""A small language model made from scratch, for every test that needs one; signals as a terminal has them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

WORDS = [
    "Crafting commands: craft 4 oak planks using 1 oak log, craft 1 stick using 2 oak planks. Goal: craft stick.",
    "get 2 oak log inventory Got Inventory: [oak log] (2) You could not find enough items. Thought: Action: go to ball 1",
    "user assistant system Could not understand. Nothing happens here at all.\n> \n\n",
] * 4


@pytest.fixture(scope="session", autouse=True)
def _hang_up_is_heard() -> Iterator[None]:
    """Tests may be started by ``nohup`` or a service, which have SIGHUP ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@cache
def _tokenizer() -> Any:
    from agentgym_rl.agents.models.tiny import make_tokenizer

    return make_tokenizer(WORDS, 400)


@pytest.fixture(scope="session")
def tiny_tokenizer() -> Any:
    """A byte-level tokenizer of 400 tokens with a ChatML template."""
    return _tokenizer()


@pytest.fixture(scope="session")
def make_tiny() -> Callable[..., Any]:
    """Makes a :class:`LanguageModel`: a Llama of hidden size 32 with ``config`` on top, fp32, with the tree attention."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from agentgym_rl.agents.models.load import LanguageModel
    from agentgym_rl.agents.models.supported import use_tree_attention

    torch.set_num_threads(1)

    def make(
        kind: str = "llama", *, tokenizer: Any = None, seed: int = 0, spread: float = 0.2, **config: Any
    ) -> LanguageModel:
        """``spread`` is the standard deviation of the weights: enough that no distribution is nearly uniform."""
        tokenizer = tokenizer or _tokenizer()
        shape = {
            "vocab_size": len(tokenizer),
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 8,
            "max_position_embeddings": 2048,
            "tie_word_embeddings": True,
            "initializer_range": spread,
            "bos_token_id": None,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        }
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{**shape, **config})).eval()
        use_tree_attention(model, kind)
        return LanguageModel(model, tokenizer, shape["max_position_embeddings"], torch.float32)

    return make
