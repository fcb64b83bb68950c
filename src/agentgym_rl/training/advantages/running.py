"""The running mean of returns that REINFORCE may use as its baseline."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(slots=True)
class RunningMean:
    """Exponential mean of the mean return of each step, free of the bias of its start.

    It must be read before the step's own returns are added: a baseline may not depend on the actions it judges.
    """

    decay: float = 0.9
    total: float = 0.0
    weight: float = 0.0

    @property
    def value(self) -> float:
        """The mean so far; 0 before the first update."""
        return self.total / self.weight if self.weight else 0.0

    def update(self, returns: Tensor) -> None:
        """Add the returns [episodes] of the valid episodes of a step; an empty step changes nothing."""
        if returns.numel():
            self.total = self.decay * self.total + (1 - self.decay) * float(returns.float().mean())
            self.weight = self.decay * self.weight + (1 - self.decay)

    def state_dict(self) -> dict[str, float]:
        """What a checkpoint keeps."""
        return {"total": self.total, "weight": self.weight}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Go on from a checkpoint."""
        self.total, self.weight = state["total"], state["weight"]
