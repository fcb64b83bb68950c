"""What the policy losses share: per-token losses by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from agentgym_rl.training.losses.inputs import Tally


@dataclass(frozen=True, slots=True)
class PerToken:
    """A policy loss before it is summed up."""

    losses: Tensor
    """[episodes, tokens], zero outside the mask."""
    metrics: dict[str, Tally] = field(default_factory=dict)
