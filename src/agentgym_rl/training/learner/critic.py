"""The value function: a head on the policy's hidden states, or a network of its own."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from agentgym_rl.training.algorithms.sections import CriticSettings
from agentgym_rl.training.batching.micro_batch import MicroBatch, Wanted
from agentgym_rl.training.learner.log_probs import hidden_states
from agentgym_rl.training.learner.optimizer import Optimizer
from agentgym_rl.training.learner.weights import MasterWeights
from agentgym_rl.training.settings import OptimizerSettings


class Critic:
    """Values of the states before tokens. Starts as zero everywhere, so the first advantages are plain returns."""

    def __init__(self, policy: Any, settings: CriticSettings, optimizer: OptimizerSettings, dtype: torch.dtype) -> None:
        self.settings = settings
        self._body: Any = None
        self._body_weights: MasterWeights | None = None
        width = policy.config.hidden_size
        self._norm = nn.LayerNorm(width).to(policy.device)
        self._head = nn.Linear(width, 1).to(policy.device)
        nn.init.zeros_(self._head.weight)
        nn.init.zeros_(self._head.bias)
        parameters: dict[str, Tensor] = {
            f"{name}.{key}": parameter
            for name, module in (("norm", self._norm), ("head", self._head))
            for key, parameter in module.named_parameters()
        }
        if settings.kind == "model":
            self._body = copy.deepcopy(policy)
            self._body_weights = MasterWeights(self._body, dtype)
            parameters |= {f"body.{name}": master for name, master in self._body_weights.masters.items()}
        self._parameters = parameters
        # The policy's schedule is the policy's: values have to follow it at full speed to the end.
        own = {"learning_rate": settings.learning_rate, "warmup_steps": 0, "decay_steps": 0}
        self._optimizer = Optimizer(parameters, optimizer.model_copy(update=own))

    def values(self, policy_hidden: Tensor, micro: MicroBatch, wanted: Wanted, shape: tuple[int, int]) -> Tensor:
        """fp32 ``shape`` [episodes, tokens], 0 where not wanted. ``policy_hidden``: the policy's of the tree's rows."""
        hidden = policy_hidden.detach() if self._body is None else hidden_states(self._body, micro.tree)
        parents = torch.tensor(wanted.parents, device=hidden.device)
        values = self._head(self._norm(hidden[parents].float()))[:, 0]
        places = torch.tensor(wanted.rows, device=hidden.device), torch.tensor(wanted.tokens, device=hidden.device)
        return hidden.new_zeros(shape, dtype=torch.float32).index_put(places, values)

    @property
    def has_body(self) -> bool:
        """A network of its own, besides the head."""
        return self._body is not None

    def take_gradients(self) -> None:
        """Call after each backward, see :meth:`MasterWeights.take_gradients`."""
        if self._body_weights is not None:
            self._body_weights.take_gradients()

    def clear_gradients(self) -> None:
        """Forget the gradients at hand."""
        for parameter in self._parameters.values():
            parameter.grad = None
        if self._body_weights is not None:
            self._body_weights.clear_gradients()

    def gradient_norm(self) -> float:
        """Clip the gradients; their norm before that."""
        return self._optimizer.gradient_norm()

    def update(self, step: int) -> None:
        """One update with the gradients at hand."""
        self._optimizer.update(step)
        if self._body_weights is not None:
            self._body_weights.publish()

    def state_dict(self) -> dict[str, Any]:
        """Weights and optimizer."""
        weights = {name: parameter.detach() for name, parameter in self._parameters.items()}
        return {"weights": weights, "optimizer": self._optimizer.state_dict()}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from :meth:`state_dict`."""
        for name, parameter in self._parameters.items():
            parameter.copy_(state["weights"][name])
        self._optimizer.load_state_dict(state["optimizer"])
        if self._body_weights is not None:
            self._body_weights.publish()
