"""The coefficient of the KL term: fixed, or steered towards a target (Ziegler et al. 2019, https://arxiv.org/abs/1909.08593)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class KlController(Protocol):
    """Holds the coefficient; told the measured KL after each step."""

    coefficient: float

    def update(self, kl: float, episodes: int) -> None:
        """``kl``: mean KL to the reference a token; ``episodes``: valid episodes of the step."""

    def state_dict(self) -> dict[str, float]:
        """What a checkpoint keeps."""

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Go on from a checkpoint."""


@dataclass(slots=True)
class FixedKl:
    """The coefficient never changes."""

    coefficient: float

    def update(self, kl: float, episodes: int) -> None:
        """Nothing to do."""

    def state_dict(self) -> dict[str, float]:
        """What a checkpoint keeps."""
        return {"coefficient": self.coefficient}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Go on from a checkpoint."""
        self.coefficient = state["coefficient"]


@dataclass(slots=True)
class AdaptiveKl:
    """``coefficient *= 1 + clip(kl / target - 1, -0.2, 0.2) * min(1, episodes / window)`` after each step.

    A step changes it by 20 % at most, also where it has more episodes than the window: the sign can't flip.
    """

    coefficient: float
    target: float
    """KL a token to hold, in nats."""
    window: int
    """Episodes over which the coefficient may change by 20 %."""

    def update(self, kl: float, episodes: int) -> None:
        """Raise the coefficient where the KL is above the target, lower it where it is below."""
        error = min(max(kl / self.target - 1, -0.2), 0.2)
        self.coefficient *= 1 + error * min(1.0, episodes / self.window)

    def state_dict(self) -> dict[str, float]:
        """What a checkpoint keeps."""
        return {"coefficient": self.coefficient}

    def load_state_dict(self, state: dict[str, float]) -> None:
        """Go on from a checkpoint."""
        self.coefficient = state["coefficient"]
