"""From the ``model`` settings to a model and its tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from agentgym_rl.agents.models import smollm2, tiny
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.models.supported import use_tree_attention
from agentgym_rl.agents.settings import ModelSettings, TinyModelSettings


@dataclass(slots=True)
class LanguageModel:
    """A causal language model with fp32 weights, its tokenizer, and how it is to be computed."""

    model: Any
    tokenizer: Any
    context: int
    """Most tokens of context."""
    dtype: torch.dtype
    """Compute type."""


def choose_device(name: str) -> torch.device:
    """``auto`` is CUDA, then MPS, then the CPU."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(
            f"run.device={name!r} is not to be had here ({str(error).splitlines()[0]}); use auto or cpu"
        ) from error
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """``auto`` is bfloat16 where the device multiplies it fast, else float32."""
    if name != "auto":
        return torch.float32 if name == "float32" else torch.bfloat16
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    if device.type == "cpu" and torch.cpu._is_avx512_bf16_supported():
        return torch.bfloat16
    return torch.float32


def load_model(settings: ModelSettings, device: torch.device, *, texts: Iterable[str] = (), seed: int = 0) -> LanguageModel:
    """The model of ``settings`` on ``device``. ``texts`` and ``seed`` make the tokenizer and weights of a ``tiny`` one.

    Raises:
        ModelError: the folder, a tokenizer, a chat template or weights are missing, or the architecture does not fit.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    dtype = choose_dtype(settings.dtype, device)
    if settings.path == "tiny":
        shape = settings.tiny or TinyModelSettings()
        tokenizer = tiny.make_tokenizer(texts, shape.vocabulary)
        model = tiny.make_model(shape, tokenizer, seed)
        if settings.dtype == "auto":
            dtype = torch.float32
    else:
        source = str(smollm2.fetch()) if settings.path == smollm2.NAME else settings.path
        model, tokenizer = _from_pretrained(source)
    model.eval()  # no dropout: log-probs of the learner and the engine must agree
    use_tree_attention(model, settings.path)
    context = int(getattr(model.config, "max_position_embeddings", 0) or 0) or 2048
    return LanguageModel(model.to(device), tokenizer, context, dtype)


def _from_pretrained(source: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    looks_like_path = source.startswith((".", "/", "~")) or source.count("/") > 1
    path = Path(source).expanduser()
    if looks_like_path and not path.is_dir():
        raise ModelError(f"model.path={source!r}: no such folder; give a Hugging Face folder, a hub id or {smollm2.NAME}")
    try:
        tokenizer = AutoTokenizer.from_pretrained(path if path.is_dir() else source)
    except Exception as error:
        raise ModelError(f"model.path={source!r}: no usable tokenizer ({_first_line(error)})") from error
    try:
        model = AutoModelForCausalLM.from_pretrained(path if path.is_dir() else source, dtype=torch.float32)
    except Exception as error:
        raise ModelError(f"model.path={source!r}: no usable weights ({_first_line(error)})") from error
    return model, tokenizer


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def cast(model: Any, dtype: torch.dtype) -> Any:
    """``model`` with its parameters in ``dtype``. Buffers stay: rotary frequencies in bfloat16 would turn by wrong angles."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(dtype)
    return model


def trainable(model: Any) -> dict[str, Tensor]:
    """The parameters that require gradients, by name."""
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
