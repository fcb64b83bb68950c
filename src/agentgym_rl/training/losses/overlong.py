"""A soft penalty on episodes near their limit (overlong shaping of DAPO, https://arxiv.org/abs/2503.14476)."""

from __future__ import annotations

from torch import Tensor


def overlong_penalty(lengths: Tensor, limit: Tensor | int, buffer: int, penalty: float = 1.0) -> Tensor:
    """[episodes] float32, to take off the reward: 0 up to ``limit - buffer``, rising linearly to ``penalty`` at ``limit``.

    ``lengths`` [episodes]: turns or tokens of each episode; ``limit``: the most of them, one for all or one an episode.
    """
    return ((lengths.float() - (limit - buffer)) / buffer).clamp(0, 1) * penalty
