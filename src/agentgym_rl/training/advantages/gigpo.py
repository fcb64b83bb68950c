"""Group-in-group advantages (GiGPO; Feng et al. 2025, https://arxiv.org/abs/2505.10978)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

from agentgym_rl.training.advantages.groups import GroupStatistics, group_statistics
from agentgym_rl.training.advantages.grpo import return_statistics
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.rows import Rows
from agentgym_rl.training.advantages.settings import GigpoSettings


def gigpo(inputs: AdvantageInputs, settings: GigpoSettings) -> Advantages:
    """``A = A_episode + step_weight * A_turn``.

    ``A_episode`` compares the undiscounted returns of the group; ``A_turn`` the discounted returns to go of all turns of the
    group that acted in the same state. A state met once says nothing: its ``A_turn`` is zero. In a group with equal returns
    both parts are zero.
    """
    if inputs.states is None:
        raise ValueError(
            "gigpo needs states: a key of the state each turn acted in; worlds without state_key can't train it"
        )
    rows = Rows.of(inputs)
    episode = return_statistics(rows, inputs, 1.0)
    tokens = rows.last.nonzero(as_tuple=True)  # one token a turn
    anchors = _anchor_ids(rows, tokens, inputs.groups.tolist(), inputs.states).to(rows.rewards.device)
    to_go = rows.returns_to_go(settings.gamma)
    magnitude = torch.flip(rows.rewards.abs().flip(1).cumsum(1), (1,))
    turn = group_statistics(to_go[tokens], anchors, torch.ones_like(anchors, dtype=torch.bool), magnitude[tokens])
    by_turn = torch.zeros(rows.shape[0], rows.turn_count, device=to_go.device)
    by_turn[tokens[0], rows.turns[tokens]] = _relative(turn, settings)
    advantages = _relative(episode, settings)[:, None] + settings.step_weight * by_turn.gather(1, rows.turns)
    return Advantages(rows.unpack(torch.where(episode.informative[:, None], advantages, 0.0)))


def _relative(statistics: GroupStatistics, settings: GigpoSettings) -> Tensor:
    if not settings.normalise:
        return statistics.deviation
    return statistics.deviation / (statistics.std + settings.epsilon).where(statistics.informative, 1.0)


def _anchor_ids(
    rows: Rows, tokens: tuple[Tensor, ...], groups: Sequence[int], states: Sequence[Sequence[Hashable]]
) -> Tensor:
    """[turns of the batch] int: equal for turns of one group that acted in the same state."""
    numbers = rows.turn_numbers[tokens].tolist()
    ids: dict[tuple[int, Hashable], int] = {}
    result = []
    for episode, number in zip(tokens[0].tolist(), numbers, strict=True):
        if number >= len(states[episode]) or states[episode][number] is None:
            raise ValueError(f"states[{episode}] has no key for turn {number}: gigpo needs one for every turn")
        result.append(ids.setdefault((groups[episode], states[episode][number]), len(ids)))
    return torch.tensor(result, dtype=torch.long)
