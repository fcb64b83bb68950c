"""What must be known of a step's episodes before the update: old and reference log-probs, values."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(slots=True)
class Measured:
    """All [episodes, tokens], on the CPU; None where nothing reads them."""

    old: Tensor | None = None
    """Log-probs from before the update. None too where the update makes a single pass: there they are the current ones."""
    reference: Tensor | None = None
    values: Tensor | None = None
    computed: int = 0
    """Tokens that went through a model."""
