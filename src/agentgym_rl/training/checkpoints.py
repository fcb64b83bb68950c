"""Checkpoints: the model in Hugging Face format with the trainer's state beside it; whole or not there at all.

The model is saved in fp32 whatever it computes in, so its files are the master weights, and the trainer's state holds only
what they do not: the optimizer's moments, a critic, adapters.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from agentgym_rl.records.atomic import folder_atomic
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.learner.learner import Learner
from agentgym_rl.training.learner.lora import merged_state

_STATE = "trainer_state.pt"
_LONGEST_REASON = 120
"""Characters of a library's explanation."""
_MODEL = "model.safetensors"
"""What Transformers calls it; a big model is in several files beside each other."""


def save_checkpoint(
    folder: RunFolder, step: int, learner: Learner, tokenizer: Any, state: dict[str, Any], keep: int
) -> Path:
    """Save what is needed to go on after ``step``, then delete all but the last ``keep`` checkpoints.

    Raises RecordError, DiskFull among them; the checkpoints that were there are untouched then.
    """
    target = folder.checkpoint(step)
    with folder_atomic(target) as temporary, _system_errors():
        _save_model(temporary, learner, tokenizer)
        learned = learner.state_dict()
        twice = _weights_in_model(temporary, learned["weights"])
        learned["weights"] = {name: weight for name, weight in learned["weights"].items() if name not in twice}
        content = {"step": step, "learner": learned, "weights_in_model": sorted(twice), "state": state}
        with (temporary / _STATE).open("wb") as stream:
            torch.save(content, stream)
    prune(folder, keep)
    return target


def prune(folder: RunFolder, keep: int) -> None:
    """Delete all but the last ``keep`` checkpoints."""
    for old in folder.checkpoint_steps()[:-keep]:
        shutil.rmtree(folder.checkpoint(old), ignore_errors=True)


@contextmanager
def _system_errors() -> Iterator[None]:
    """torch and safetensors wrap the operating system's errors in their own: unwraps them."""
    try:
        yield
    except (RuntimeError, SafetensorError) as error:
        if isinstance(error.__context__, OSError):
            raise error.__context__ from None
        code = re.search(r"os error (\d+)", str(error))
        if code is None:
            raise
        raise OSError(int(code[1]), os.strerror(int(code[1]))) from error


def _save_model(path: Path, learner: Learner, tokenizer: Any) -> None:
    model = learner.model
    weights = merged_state(model, learner.weights.masters)
    plain = model
    if any(".lora_" in name for name in model.state_dict()):
        plain = type(model)(model.config)  # the adapters' modules would be saved under names of their own
        plain.load_state_dict(weights)
    plain.save_pretrained(path, state_dict=weights)
    tokenizer.save_pretrained(path)


def _tensors(path: Path, names: Iterable[str]) -> Iterator[tuple[str, Tensor]]:
    """Those of ``names`` that the model's files hold, one after another."""
    wanted = set(names)
    for file in sorted(path.glob("*.safetensors")):
        with safe_open(file, "pt") as tensors:
            for name in sorted(wanted.intersection(tensors.keys())):
                yield name, tensors.get_tensor(name)


def _weights_in_model(path: Path, weights: Mapping[str, Tensor]) -> set[str]:
    """The trained weights that the model's files hold bit for bit, so that the trainer's state need not.

    All of them, unless there are adapters (the files hold them merged) or Transformers saves under other names.
    """
    return {
        name
        for name, saved in _tensors(path, weights)
        if saved.dtype == weights[name].dtype and torch.equal(saved, weights[name].cpu())
    }


def load_state(path: Path) -> dict[str, Any]:
    """The trainer's state of a checkpoint. RecordError names a file that is missing or damaged."""
    with _readable(path / _STATE):
        state: dict[str, Any] = torch.load(path / _STATE, map_location="cpu", weights_only=True)
        shared = state.pop("weights_in_model")
        weights: dict[str, Tensor] = state["learner"]["weights"]
    with _readable(path / _MODEL):
        weights.update(_tensors(path, shared))
        if missing := set(shared) - weights.keys():
            raise ValueError(f"it lacks {min(missing)}")
    return state


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, EOFError, ValueError, KeyError, pickle.UnpicklingError, SafetensorError) as error:
        raise RecordError(f"{path} can't be read ({_reason(error)}); delete the checkpoint to use the one before") from error


def _reason(error: Exception) -> str:
    """A few words: torch quotes pages of advice, the system its own error numbers."""
    if isinstance(error, pickle.UnpicklingError):
        return "not what torch.save writes"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return textwrap.shorten(first, _LONGEST_REASON, placeholder=" …")
