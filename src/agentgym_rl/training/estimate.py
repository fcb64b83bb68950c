"""What a run would do and take, found out without loading weights."""

from __future__ import annotations

from typing import Any

import torch

from agentgym_rl.agents.chat.choose import choose_renderer
from agentgym_rl.agents.models import smollm2
from agentgym_rl.agents.models.load import check_folder, choose_device, choose_dtype
from agentgym_rl.agents.settings import ModelSettings, TinyModelSettings
from agentgym_rl.training.algorithms.resolve import clipping_is_idle
from agentgym_rl.training.memory import available_memory
from agentgym_rl.training.run_setup import Plan, make_plan
from agentgym_rl.training.settings import TrainSettings

_HEADROOM = 1.46
"""What allocators keep beside what is in use, and a little to spare: the quickstart's parts add up to 3.8 GiB, and it was
measured to peak at 5.44."""
_FIXED_BYTES = 800 * 2**20
"""Python, PyTorch and the worlds."""
_SMOLLM2 = {
    "hidden": 576,
    "layers": 30,
    "inner": 1536,
    "vocabulary": 49152,
    "query": 576,
    "kv": 192,
    "heads": 9,
    "untied_head": 0,
}


def dry_run(settings: TrainSettings) -> dict[str, Any]:
    """What the settings resolve to, how many tasks there are, and whether the memory suffices.

    Raises the errors of :func:`~agentgym_rl.training.run_setup.make_plan`, and ModelError for a model folder that is not there
    or lacks something.
    """
    plan = make_plan(settings)
    model = settings.model.path
    tokenizer = None if model in ("tiny", smollm2.NAME) else check_folder(model)
    if tokenizer is not None:
        choose_renderer(settings.agent, tokenizer, model)
    horizon = settings.horizon
    findings: dict[str, Any] = {
        "algorithm": plan.algorithm.describe(),
        "tasks": {
            world.settings.id: {
                "training": [len(tasks) for tasks in stages],
                "held_out": len(panel),
            }
            for world, stages, panel in zip(plan.worlds, plan.tasks, plan.panels, strict=True)
        },
        "horizon": {"schedule": horizon.schedule, "turns": list(horizon.turns)},
        "episodes": {
            "a_step": settings.batch.groups * settings.batch.group_size,
            "in_all": settings.batch.groups * settings.batch.group_size * settings.run.steps,
        },
        "memory": _memory(plan),
    }
    if clipping_is_idle(plan.algorithm, mini_batches=settings.batch.mini_batches, epochs=settings.batch.epochs):
        findings["clipping"] = "idle: one update a step (batch.epochs and batch.mini_batches are 1) leaves nothing to clip"
    return findings


def _memory(plan: Plan) -> dict[str, Any]:
    """An estimate in bytes, rounded up: matrices, gradients and optimizer by their sizes, activations and cache by their shapes."""
    settings = plan.settings
    device = choose_device(settings.run.device)
    shape = _shape(settings.model)
    available = _available(device)
    if shape is None:
        return {
            "available_bytes": available,
            "fits": "unknown: the model is not on this machine, or its configuration does not tell its size",
        }
    dtype = choose_dtype(settings.model.dtype, device)
    size = 4 if dtype == torch.float32 or settings.model.path == "tiny" else 2
    embedding = shape["vocabulary"] * shape["hidden"]
    layer = shape["hidden"] * (2 * shape["query"] + 2 * shape["kv"] + 3 * shape["inner"])
    weights = (1 + shape["untied_head"]) * embedding + shape["layers"] * layer
    lora = settings.optimizer.lora
    if lora is not None:
        trained = (
            shape["layers"] * lora.rank * (7 * shape["hidden"] + 2 * (shape["query"] + shape["kv"]) + 3 * shape["inner"])
        )
    else:
        trained = weights if settings.optimizer.train_embeddings else weights - embedding
    critic = plan.algorithm.recipe.critic
    models = 1 + (critic is not None and critic.kind == "model")
    several_updates = settings.batch.epochs * settings.batch.mini_batches > 1
    # fp32 gradient and two moments; beside a short type the weights too; before several updates a copy to go back to
    masters = models * trained * ((12 if size == 4 else 16) + 12 * several_updates)
    copies = (models + (plan.algorithm.needs_reference and lora is None)) * weights * size
    loading = 4 * (weights + trained * (size == 2))  # weights are read in fp32
    tokens = settings.batch.micro_batch_tokens
    saved = shape["layers"] * (10 * shape["hidden"] + 4 * shape["kv"] + 4 * shape["inner"]) * size
    attention = shape["layers"] * shape["heads"] * 512 * size
    activations = tokens * (saved + attention)
    episode = 300 + 24 * max(settings.horizon.turns)
    at_once = min(settings.rollout.concurrency, settings.batch.groups * settings.batch.group_size)
    cache = at_once * episode // 3 * shape["layers"] * 2 * shape["kv"] * size
    needed = int(_HEADROOM * (_FIXED_BYTES + max(masters + copies + activations + cache, loading)))
    return {
        "parameters": weights,
        "trained_parameters": trained,
        "weights_and_optimizer_bytes": masters + copies,
        "activations_bytes": activations,
        "key_value_cache_bytes": cache,
        "needed_bytes": needed,
        "available_bytes": available,
        "fits": "yes" if needed <= available else "no: lower batch.micro_batch_tokens, or set optimizer.lora",
    }


def _shape(model: ModelSettings) -> dict[str, int] | None:
    if model.path == smollm2.NAME:
        return _SMOLLM2
    if model.path == "tiny":
        tiny = model.tiny or TinyModelSettings()
        return {
            "hidden": tiny.hidden,
            "layers": tiny.layers,
            "inner": 3 * tiny.hidden,
            "vocabulary": tiny.vocabulary,
            "query": tiny.hidden,
            "kv": tiny.hidden,
            "heads": tiny.heads,
            "untied_head": 0,
        }
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(model.path, local_files_only=True).get_text_config()
        heads = config.num_attention_heads
        head = getattr(config, "head_dim", None) or config.hidden_size // heads
        return {
            "hidden": config.hidden_size,
            "layers": config.num_hidden_layers,
            "inner": config.intermediate_size,
            "vocabulary": config.vocab_size,
            "query": heads * head,
            "kv": config.num_key_value_heads * head,
            "heads": heads,
            "untied_head": int(not config.tie_word_embeddings),
        }
    except (OSError, ValueError, AttributeError):  # not here, or of another shape than a decoder's
        return None


def _available(device: torch.device) -> int:
    return int(torch.cuda.mem_get_info(device)[0]) if device.type == "cuda" else available_memory()
