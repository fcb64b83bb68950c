"""Train language-model agents by reinforcement learning over many turns."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym_rl.environments.registry import make as make
    from agentgym_rl.environments.registry import tasks as tasks
    from agentgym_rl.evaluation.api import evaluate as evaluate
    from agentgym_rl.training.api import train as train

_LAZY = {
    "make": "agentgym_rl.environments.registry",
    "tasks": "agentgym_rl.environments.registry",
    "train": "agentgym_rl.training.api",
    "evaluate": "agentgym_rl.evaluation.api",
}
"""Public name → module that has it. Imported on first use, so that importing the package costs nothing."""

__all__ = ["evaluate", "make", "tasks", "train"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
