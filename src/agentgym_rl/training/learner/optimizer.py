"""AdamW over the master weights, with a warm-up whose first step is never zero and a linear decay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from agentgym_rl.training.settings import OptimizerSettings

_FLOOR = 0.1
"""Share of the learning rate that the decay leaves: above zero, so that a run which is made longer goes on learning."""


class Optimizer:
    """Clips gradients by their global norm and updates. Counts its updates for the warm-up."""

    def __init__(self, parameters: Mapping[str, Tensor], settings: OptimizerSettings) -> None:
        self._settings = settings
        self._parameters = list(parameters.values())
        decayed = [parameter for parameter in self._parameters if parameter.ndim > 1]
        plain = [parameter for parameter in self._parameters if parameter.ndim <= 1]
        self._adamw = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": settings.weight_decay}, {"params": plain, "weight_decay": 0.0}],
            lr=settings.learning_rate,
            betas=settings.betas,
            fused=True,
        )

    def learning_rate(self, step: int) -> float:
        """Of training step ``step`` (from 1)."""
        settings = self._settings
        warmth = min(1.0, step / max(1, settings.warmup_steps))
        decayed = min(1.0, max(0, step - settings.warmup_steps) / settings.decay_steps) if settings.decay_steps else 0.0
        return settings.learning_rate * warmth * (1.0 - (1.0 - _FLOOR) * decayed)

    def gradient_norm(self) -> float:
        """Clip the gradients to ``max_grad_norm``; their global norm before that."""
        return float(torch.nn.utils.clip_grad_norm_(self._parameters, self._settings.max_grad_norm))

    def update(self, step: int) -> None:
        """One update with the gradients at hand."""
        for group in self._adamw.param_groups:
            group["lr"] = self.learning_rate(step)
        self._adamw.step()

    def state_dict(self) -> dict[str, Any]:
        """Moments and counts of updates."""
        return self._adamw.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`state_dict`."""
        self._adamw.load_state_dict(state)
