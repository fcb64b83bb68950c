"""fp32 master weights behind a model that computes in a shorter type.

Optimizers lose small updates in bfloat16, so the weights that are updated are fp32 while the model (the one the engine
samples from, too) holds their rounded copies. With fp32 compute both are the same tensors.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from agentgym_rl.agents.models.load import cast, trainable


class MasterWeights:
    """The trainable parameters of ``model``, by name, in fp32; casts the model to ``dtype``."""

    def __init__(self, model: Any, dtype: torch.dtype) -> None:
        self._model = model
        parameters = trainable(model)
        self._shared = dtype == torch.float32
        if self._shared:
            self.masters: dict[str, Tensor] = dict(parameters)
        else:
            self.masters = {name: parameter.detach().float().clone() for name, parameter in parameters.items()}
            cast(model, dtype)
        self._parameters: dict[str, Any] = {
            name: parameter for name, parameter in model.named_parameters() if name in self.masters
        }

    def take_gradients(self) -> None:
        """Add the model's gradients to the masters' in fp32 and clear them: call after each backward."""
        if self._shared:
            return
        for name, parameter in self._parameters.items():
            if parameter.grad is None:
                continue
            master = self.masters[name]
            if master.grad is None:
                master.grad = parameter.grad.float()
            else:
                master.grad.add_(parameter.grad)
            parameter.grad = None

    def clear_gradients(self) -> None:
        """Forget the gradients of masters and model."""
        for master in self.masters.values():
            master.grad = None
        for parameter in self._parameters.values():
            parameter.grad = None

    @torch.no_grad()
    def publish(self) -> None:
        """Round the masters into the model: call after each optimizer step."""
        if self._shared:
            return
        for name, parameter in self._parameters.items():
            parameter.copy_(self.masters[name])

    def state(self) -> dict[str, Tensor]:
        """The masters, detached."""
        return {name: master.detach() for name, master in self.masters.items()}

    @torch.no_grad()
    def load(self, state: dict[str, Tensor]) -> None:
        """Take over the values of ``state`` and publish them."""
        for name, master in self.masters.items():
            master.copy_(state[name])
        self.publish()
