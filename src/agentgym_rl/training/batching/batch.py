"""The episodes of a step as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from agentgym_rl.records.trajectory import Trajectory


@dataclass(slots=True)
class Batch:
    """A row is an episode; its segments lie one after another on the token axis. All tensors are on the CPU."""

    trajectories: list[Trajectory]
    token_ids: list[list[int]]
    """For each episode the ids of all its segments."""
    segment_starts: list[list[int]]
    """For each episode where its segments begin on the token axis."""
    kept: list[list[list[int] | None]]
    """For each episode and sampled token, in order, the ids it was drawn among; None: the whole vocabulary."""
    action_mask: Tensor
    """[episodes, tokens] bool"""
    sampled_mask: Tensor
    """[episodes, tokens] bool"""
    turns: Tensor
    """[episodes, tokens] int64, -1 outside"""
    rewards: Tensor
    """[episodes, tokens] float32: the reward of a turn, on its last action token"""
    engine_log_probs: Tensor
    """[episodes, tokens] float32"""
    groups: Tensor
    """[episodes] int64"""
    valid: Tensor
    """[episodes] bool"""
    truncated: Tensor
    """[episodes] bool: horizon or context reached"""

    def __len__(self) -> int:
        return len(self.trajectories)

    @property
    def states(self) -> list[list[str | None]]:
        """For each episode the key of the state of each turn."""
        return [[turn.state_key for turn in trajectory.turns] for trajectory in self.trajectories]


def make_batch(trajectories: Sequence[Trajectory]) -> Batch:
    """The batch of ``trajectories``, faults included (they are marked invalid).

    Raises:
        ValueError: a record contradicts itself; names the episode.
    """
    rows = len(trajectories)
    width = max((sum(map(len, trajectory.segments)) for trajectory in trajectories), default=0)
    batch = Batch(
        trajectories=list(trajectories),
        token_ids=[],
        segment_starts=[],
        kept=[],
        action_mask=torch.zeros(rows, width, dtype=torch.bool),
        sampled_mask=torch.zeros(rows, width, dtype=torch.bool),
        turns=torch.full((rows, width), -1, dtype=torch.int64),
        rewards=torch.zeros(rows, width),
        engine_log_probs=torch.zeros(rows, width),
        groups=torch.tensor([trajectory.group for trajectory in trajectories], dtype=torch.int64),
        valid=torch.tensor([trajectory.valid for trajectory in trajectories], dtype=torch.bool),
        truncated=torch.tensor([trajectory.ended in ("horizon", "context") for trajectory in trajectories]),
    )
    for row, trajectory in enumerate(trajectories):
        _fill(batch, row, trajectory)
    return batch


def _fill(batch: Batch, row: int, trajectory: Trajectory) -> None:
    starts: list[int] = []
    ids: list[int] = []
    last_token: dict[int, int] = {}
    for segment in trajectory.segments:
        start, stop = len(ids), len(ids) + len(segment)
        starts.append(start)
        ids += segment.token_ids
        batch.action_mask[row, start:stop] = torch.tensor(segment.action_mask, dtype=torch.bool)
        batch.sampled_mask[row, start:stop] = torch.tensor(segment.sampled_mask, dtype=torch.bool)
        batch.turns[row, start:stop] = torch.tensor(segment.turns, dtype=torch.int64)
        batch.engine_log_probs[row, start:stop] = torch.tensor(segment.log_probs)
        last_token.update({turn: start + offset for offset, turn in enumerate(segment.turns) if turn >= 0})
    batch.token_ids.append(ids)
    batch.segment_starts.append(starts)
    if trajectory.valid:
        for number, turn in enumerate(trajectory.turns):
            if turn.reward:
                batch.rewards[row, last_token[number]] = turn.reward
    sampled = batch.sampled_mask[row].nonzero()[:, 0].tolist()
    counts = [0] * len(trajectory.turns)
    for position in sampled:
        counts[int(batch.turns[row, position])] += 1
    kept: list[list[int] | None] = []
    for turn, count in zip(trajectory.turns, counts, strict=True):
        if turn.kept is not None and len(turn.kept) != count:
            raise ValueError(
                f"episode {trajectory.group}.{trajectory.index} of task {trajectory.task}: "
                f"{len(turn.kept)} sets of kept ids for {count} sampled tokens"
            )
        kept += [choice or None for choice in turn.kept] if turn.kept is not None else [None] * count
    batch.kept.append(kept)
