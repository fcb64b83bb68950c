"""Means and deviations inside groups, without float residue."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

EQUAL = 1e-6
"""Returns closer than this, relative to the rewards they add up, are equal: the rest is rounding of float32 sums."""
_LEAST = torch.finfo(torch.float32).tiny
"""So are returns closer than this: smaller numbers of float32 have few digits, and round by as much as they are."""


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """For each member [members]; zero (False) for members that are invalid or in an uninformative group."""

    deviation: Tensor
    """Value minus the mean of its group."""
    std: Tensor
    """Sample standard deviation (ddof 1) of its group."""
    count: Tensor
    """Valid members of its group."""
    informative: Tensor
    """bool: valid, and its group has at least two valid members that are not all equal."""


def group_statistics(values: Tensor, groups: Tensor, valid: Tensor, magnitude: Tensor | None = None) -> GroupStatistics:
    """Statistics of ``values`` [members] over members with the same ``groups`` id and ``valid``.

    ``magnitude`` [members]: sum of the absolute rewards behind each value; what rounding is measured against.

    The smallest value of a group is taken off first, so a constant shift of all rewards cancels before anything is
    squared and a group without variance gives exactly zero.
    """
    ids = torch.unique(groups, return_inverse=True)[1]
    count = _sum(valid.float(), ids)
    values = torch.where(valid, values.float(), 0.0)
    lowest = _extreme(values, ids, valid, "amin")
    above = torch.where(valid, values - lowest, 0.0)
    scale = _extreme(values.abs() if magnitude is None else torch.where(valid, magnitude.float(), 0.0), ids, valid, "amax")
    informative = valid & (count >= 2) & (_extreme(above, ids, valid, "amax") > EQUAL * scale + _LEAST)
    deviation = torch.where(informative, above - _sum(above, ids) / count.clamp(min=1), 0.0)
    std = (_sum(deviation.square(), ids) / (count - 1).clamp(min=1)).sqrt()
    return GroupStatistics(deviation, torch.where(informative, std, 0.0), torch.where(valid, count, 0.0), informative)


def _sum(values: Tensor, ids: Tensor) -> Tensor:
    """Sum over the members with the same id, given back to each member."""
    return torch.zeros_like(values).index_add(0, ids, values)[ids]


def _extreme(values: Tensor, ids: Tensor, valid: Tensor, which: str) -> Tensor:
    """Smallest (``amin``) or largest (``amax``) value of the valid members with the same id; 0 where there is none."""
    empty = torch.inf if which == "amin" else -torch.inf
    result = torch.full_like(values, empty).scatter_reduce(0, ids, torch.where(valid, values, empty), which)[ids]
    return torch.where(result.isinf(), 0.0, result)
