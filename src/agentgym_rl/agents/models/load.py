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


def check_folder(source: str) -> Any:
    """What can be known of the model ``source`` without loading weights; its tokenizer, or None where it is no folder here.

    Raises:
        ModelError: as :func:`load_model` would: the folder, a tokenizer, or a model that fits is missing.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    place = _place(source)
    if isinstance(place, str):  # made or fetched when it is needed
        return None
    tokenizer = _tokenizer(source)
    try:
        if not any((place / name).is_file() for name in _WEIGHTS):
            raise FileNotFoundError(f"none of {', '.join(_WEIGHTS)} is there")
        with torch.device("meta"):  # shapes without numbers
            AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(place))
    except Exception as error:
        raise ModelError(f"model.path={source!r}: no usable weights ({_first_line(error)})") from error
    return tokenizer


_WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")


def _from_pretrained(source: str) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM

    tokenizer = _tokenizer(source)
    try:
        model = AutoModelForCausalLM.from_pretrained(_place(source), dtype=torch.float32)
    except Exception as error:
        raise ModelError(f"model.path={source!r}: no usable weights ({_first_line(error)})") from error
    return model, tokenizer


def _place(source: str) -> Path | str:
    """The folder that ``source`` names, else a hub id or the name of a model that is made or fetched."""
    path = Path(source).expanduser()
    if path.is_dir():
        return path
    if source.startswith((".", "/", "~")) or source.count("/") > 1:
        raise ModelError(f"model.path={source!r}: no such folder; give a Hugging Face folder, a hub id or {smollm2.NAME}")
    return source


def _tokenizer(source: str) -> Any:
    from transformers import AutoTokenizer

    place = _place(source)
    try:
        return AutoTokenizer.from_pretrained(place)
    except Exception as error:
        raise ModelError(f"model.path={source!r}: no usable tokenizer ({_first_line(error)})") from error


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
