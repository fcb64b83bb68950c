"""Episodes with everything removed that must not matter: observations, padding, the content of invalid rows.

Estimators work on *packed* rows: the action tokens of an episode, in order, from the left. What lies between them in the
batch cannot reach the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from agentgym_rl.training.advantages.inputs import AdvantageInputs


@dataclass(frozen=True, slots=True)
class Rows:
    """Packed episodes; all [episodes, actions] unless said otherwise."""

    rewards: Tensor
    """float32, zero where ``mask`` is False."""
    mask: Tensor
    """True for the action tokens of valid episodes."""
    turns: Tensor
    """Rank of the token's turn among the turns of its episode that have action tokens: 0, 1, 2 ..."""
    turn_numbers: Tensor
    """The turn as given in the inputs."""
    last: Tensor
    """True on the last action token of a turn."""
    valid: Tensor
    """[episodes] bool"""
    order: Tensor
    """Where in the batch's token axis each packed token came from."""
    shape: torch.Size
    """Shape of the batch."""

    @classmethod
    def of(cls, inputs: AdvantageInputs) -> Rows:
        """Pack the inputs.

        Raises:
            ValueError: a shape does not fit, or a valid episode has a reward that is on no action token.
        """
        _check_shapes(inputs)
        valid = _valid(inputs)
        mask = inputs.action_mask.bool() & valid[:, None]
        _check_rewards(inputs, mask, valid)
        width = int(mask.sum(1).max()) if mask.numel() else 0
        order = torch.argsort((~mask).to(torch.uint8), dim=1, stable=True)[:, :width]
        packed = mask.gather(1, order)
        numbers = torch.where(packed, inputs.turns.gather(1, order), -1)
        changes = torch.zeros_like(packed)
        changes[:, 1:] = packed[:, 1:] & (numbers[:, 1:] != numbers[:, :-1])
        last = packed.clone()
        last[:, :-1] &= changes[:, 1:] | ~packed[:, 1:]
        rewards = torch.where(packed, inputs.rewards.float().gather(1, order), 0.0)
        return cls(rewards, packed, changes.long().cumsum(1), numbers, last, valid, order, inputs.rewards.shape)

    def pack(self, values: Tensor) -> Tensor:
        """[episodes, tokens] -> [episodes, actions] float32, zero where ``mask`` is False."""
        return torch.where(self.mask, values.float().gather(1, self.order), 0.0)

    def unpack(self, values: Tensor) -> Tensor:
        """[episodes, actions] -> [episodes, tokens] float32, zero outside the action tokens of valid episodes."""
        result = torch.zeros(self.shape, dtype=torch.float32, device=values.device)
        return result.scatter(1, self.order, torch.where(self.mask, values.float(), 0.0))

    def spread(self, values: Tensor) -> Tensor:
        """One number an episode -> [episodes, tokens]: the same on all its action tokens."""
        return self.unpack(values[:, None].expand_as(self.rewards))

    @property
    def turn_count(self) -> int:
        """Most turns of an episode."""
        return int(self.turns.max()) + 1 if self.turns.numel() else 0

    def turn_sums(self, values: Tensor) -> Tensor:
        """[episodes, actions] -> [episodes, turns]: sum over the tokens of each turn."""
        sums = torch.zeros(self.shape[0], self.turn_count, dtype=torch.float32, device=values.device)
        return sums.scatter_add(1, self.turns, torch.where(self.mask, values, 0.0))

    def returns_to_go(self, gamma: float) -> Tensor:
        """[episodes, actions]: rewards from the token on, discounted by ``gamma`` at each end of a turn."""
        return discounted_sums(self.rewards, torch.where(self.last, gamma, 1.0))

    def returns(self, gamma: float = 1.0) -> Tensor:
        """[episodes]: the return of the episode from its start, discounted by ``gamma`` between turns; 0 if invalid."""
        if not self.rewards.shape[1]:
            return torch.zeros(self.shape[0], dtype=torch.float32, device=self.rewards.device)
        return self.returns_to_go(gamma)[:, 0]


def discounted_sums(values: Tensor, decay: Tensor) -> Tensor:
    """``s[t] = values[t] + decay[t] * s[t + 1]`` along the last axis, in log2(length) vector operations.

    Doubling: after pass ``n`` an entry covers the ``2 ** n`` values from it on. No division, so no loss at small decays.
    """
    sums, reach, length = values, decay, values.shape[-1]
    offset = 1
    while offset < length:
        beyond = torch.nn.functional.pad(sums[..., offset:], (0, offset))
        sums = sums + reach * beyond
        reach = reach * torch.nn.functional.pad(reach[..., offset:], (0, offset))
        offset *= 2
    return sums


def _valid(inputs: AdvantageInputs) -> Tensor:
    if inputs.valid is None:
        return torch.ones(len(inputs.rewards), dtype=torch.bool, device=inputs.rewards.device)
    return inputs.valid.bool()


def _check_shapes(inputs: AdvantageInputs) -> None:
    tokens = inputs.rewards.shape
    if len(tokens) != 2:
        raise ValueError(f"rewards has shape {list(tokens)}: [episodes, tokens] is expected")
    for name in ("action_mask", "turns", "values"):
        field = getattr(inputs, name)
        if field is not None and field.shape != tokens:
            raise ValueError(f"{name} has shape {list(field.shape)}, rewards {list(tokens)}: they must agree")
    for name in ("groups", "valid", "truncated", "baselines"):
        field = getattr(inputs, name)
        if field is not None and field.shape != tokens[:1]:
            raise ValueError(f"{name} has shape {list(field.shape)}: one entry for each of {tokens[0]} episodes is expected")


def _check_rewards(inputs: AdvantageInputs, mask: Tensor, valid: Tensor) -> None:
    """A reward off the action tokens would be lost without a word (the usual fault of multi-turn PPO): refuse it."""
    stray = (inputs.rewards != 0) & ~mask & valid[:, None]
    if stray.any():
        episode, token = stray.nonzero()[0].tolist()
        reward = float(inputs.rewards[episode, token])
        raise ValueError(
            f"rewards[{episode}, {token}]={reward} is on no action token: a turn's reward belongs on its last action token"
        )
