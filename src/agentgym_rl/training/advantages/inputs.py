"""What an estimator reads and what it returns. A row is an episode."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class AdvantageInputs:
    """The episodes of a step. Any float type; estimators compute in float32."""

    rewards: Tensor
    """[episodes, tokens] float: the reward of a turn, on the last action token of that turn."""
    action_mask: Tensor
    """[episodes, tokens] bool: the ids of the model's messages, forced ones included."""
    turns: Tensor
    """[episodes, tokens] int: turn of each action token, -1 outside."""
    groups: Tensor
    """[episodes] int: the draw an episode belongs to."""
    values: Tensor | None = None
    """[episodes, tokens] float: value of the state before the token; read on action tokens only."""
    valid: Tensor | None = None
    """[episodes] bool: False is a fault, ignored everywhere even if it holds NaN. None: all are valid."""
    truncated: Tensor | None = None
    """[episodes] bool: horizon or context reached. Read only where a setting asks for a bootstrap."""
    states: Sequence[Sequence[Hashable]] | None = None
    """For each episode the key of the state each turn acted in (``states[e][turn]``)."""
    baselines: Tensor | None = None
    """[episodes] float: a baseline kept or sampled by the trainer (greedy return, running mean)."""


@dataclass(frozen=True, slots=True)
class Advantages:
    """float32, zero outside ``action_mask`` and in invalid rows."""

    advantages: Tensor
    """[episodes, tokens]"""
    returns: Tensor | None = None
    """[episodes, tokens]: targets of the critic, where the estimator has one."""
