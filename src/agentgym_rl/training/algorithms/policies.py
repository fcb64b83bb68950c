"""What a run must know of each policy loss. No torch here: the functions are in :mod:`agentgym_rl.training.losses.registry`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CLIP_NAMES = ("clip_low", "clip_high", "dual_clip")
"""The keys of ``algorithm.loss`` that bound a ratio."""


@dataclass(frozen=True, slots=True)
class PolicyLoss:
    """What a run must know of a policy loss. Nothing outside asks for a loss's name."""

    clips: Mapping[str, float | None] = field(default_factory=dict)
    """The bounds it takes, of :data:`CLIP_NAMES`, with their values where a preset says nothing."""
    has_ratio: bool = True
    """It corrects for the updates since the episodes were sampled; without, they are good for one epoch."""
    whole_episode: bool = False
    """What a token gets depends on the other tokens of its episode, as with a ratio of sequences."""
    counts_zero_advantage: bool = False
    """Tokens with an advantage of zero have a gradient too, so their forward pass can't be spared."""


POLICY_LOSSES: dict[str, PolicyLoss] = {
    "ppo_clip": PolicyLoss({"clip_low": 0.2, "clip_high": 0.2, "dual_clip": None}),
    "gspo": PolicyLoss({"clip_low": 3e-4, "clip_high": 4e-4}, whole_episode=True),
    "cispo": PolicyLoss({"clip_low": None, "clip_high": 4.0}),
    "policy_gradient": PolicyLoss(has_ratio=False),
}
"""The policy losses by name."""
