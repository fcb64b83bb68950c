"""Policy losses by name."""

from __future__ import annotations

from collections.abc import Callable

from agentgym_rl.training.algorithms.policies import CLIP_NAMES, POLICY_LOSSES, PolicyLoss
from agentgym_rl.training.losses.cispo import cispo
from agentgym_rl.training.losses.gspo import gspo
from agentgym_rl.training.losses.policy import PerToken
from agentgym_rl.training.losses.policy_gradient import policy_gradient
from agentgym_rl.training.losses.ppo_clip import ppo_clip

_FUNCTIONS: dict[str, Callable[..., PerToken]] = {
    "ppo_clip": ppo_clip,
    "gspo": gspo,
    "cispo": cispo,
    "policy_gradient": policy_gradient,
}


def register(name: str, loss: PolicyLoss, function: Callable[..., PerToken]) -> None:
    """Add a policy loss: ``function(inputs, **clips)`` with the bounds of ``loss.clips`` as keywords.

    Raises:
        ValueError: the name is taken, or a bound has no key in the settings.
    """
    if name in _FUNCTIONS:
        raise ValueError(f"policy loss {name!r} exists already: choose another name")
    for clip in loss.clips:
        if clip not in CLIP_NAMES:
            raise ValueError(f"policy loss {name!r}: algorithm.loss has no bound {clip!r}; it has {', '.join(CLIP_NAMES)}")
    _FUNCTIONS[name] = function
    POLICY_LOSSES[name] = loss


def policy_function(name: str) -> Callable[..., PerToken]:
    """The function of a policy loss that is known to exist."""
    return _FUNCTIONS[name]
