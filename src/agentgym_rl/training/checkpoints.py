"""Checkpoints: the model in Hugging Face format with the trainer's state beside it; whole or not there at all."""

from __future__ import annotations

import os
import pickle
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from agentgym_rl.records.atomic import folder_atomic
from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training.learner.learner import Learner
from agentgym_rl.training.learner.lora import merged_state

_STATE = "trainer_state.pt"


def save_checkpoint(
    folder: RunFolder, step: int, learner: Learner, tokenizer: Any, state: dict[str, Any], keep: int
) -> Path:
    """Save what is needed to go on after ``step``, then delete all but the last ``keep`` checkpoints.

    Raises RecordError, DiskFull among them; the checkpoints that were there are untouched then.
    """
    target = folder.checkpoint(step)
    with folder_atomic(target) as temporary, _system_errors():
        _save_model(temporary, learner, tokenizer)
        with (temporary / _STATE).open("wb") as stream:
            torch.save({"step": step, "learner": learner.state_dict(), "state": state}, stream)
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


def load_state(path: Path) -> dict[str, Any]:
    """The trainer's state of a checkpoint. RecordError names a file that is missing or damaged."""
    try:
        state: dict[str, Any] = torch.load(path / _STATE, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RecordError(
            f"{path / _STATE} can't be read ({reason}); delete the checkpoint to use the one before"
        ) from error
    return state
