"""Advantages: from the rewards of episodes to a number for every action token.

The names load on first use, so that ``advantages.settings`` can be read without torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
    from agentgym_rl.training.advantages.registry import estimate, register
    from agentgym_rl.training.advantages.settings import Estimator

__all__ = ["AdvantageInputs", "Advantages", "Estimator", "estimate", "register"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentgym_rl.training.advantages import inputs, registry

    return getattr(inputs if name.startswith("Advantage") else registry, name)
