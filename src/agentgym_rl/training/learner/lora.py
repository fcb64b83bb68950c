"""Low-rank adapters (PEFT) inside the model, and the model's weights with the adapters merged in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.training.settings import LoraSettings


def add_adapters(model: Any, settings: LoraSettings, seed: int) -> None:
    """Put adapters into ``model``; from then on only they require gradients.

    Raises:
        ModelError: PEFT is missing, or the targets are not there, or are the output head, which is read without adapters.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise ModelError("optimizer.lora needs PEFT: pip install 'agentgym-rl[lora]'") from error
    config = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=settings.targets, lora_dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            inject_adapter_in_model(config, model)
        except ValueError as error:
            raise ModelError(f"optimizer.lora.targets={settings.targets}: {str(error).splitlines()[0]}") from error
    if hasattr(model.get_output_embeddings(), "base_layer") or hasattr(model.get_input_embeddings(), "base_layer"):
        raise ModelError(
            f"optimizer.lora.targets={settings.targets}: the output head and the embeddings can't be adapted; leave them out"
        )
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("lora_" in name)


@contextmanager
def adapters_off(model: Any) -> Iterator[None]:
    """The base weights alone: the reference under LoRA, without a second copy."""
    layers = [module for module in model.modules() if hasattr(module, "enable_adapters") and hasattr(module, "base_layer")]
    for layer in layers:
        layer.enable_adapters(False)
    try:
        yield
    finally:
        for layer in layers:
            layer.enable_adapters(True)


@torch.no_grad()
def merged_state(model: Any, masters: dict[str, Tensor]) -> dict[str, Tensor]:
    """fp32 weights under the names of the plain model: masters where there are some, adapters merged."""
    by_tensor = {id(parameter): masters[name] for name, parameter in model.named_parameters() if name in masters}
    state: dict[str, Tensor] = {}
    plain: dict[int, Tensor] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        # Tied weights stay one tensor: that is how Transformers knows them when it saves.
        state[name] = plain.setdefault(id(tensor), by_tensor.get(id(tensor), tensor).detach().float())
    merged: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if ".lora_" in name:
            continue
        value = tensor
        if ".base_layer." in name:
            prefix, _, rest = name.rpartition(".base_layer.")
            layer = model.get_submodule(prefix)
            if rest == "weight":
                down = state[f"{prefix}.lora_A.default.weight"]
                up = state[f"{prefix}.lora_B.default.weight"]
                value = value + (up @ down) * layer.scaling["default"]
            name = f"{prefix}.{rest}"
        merged[name] = value
    return merged
