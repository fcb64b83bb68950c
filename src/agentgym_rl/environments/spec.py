"""What gymnasium knows of a world: how to make it again and whether it repeats itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gymnasium.envs.registration import EnvSpec


@dataclass
class EnvironmentSpec(EnvSpec):
    """A gymnasium spec with ``deterministic``: same task, seed and actions give the same episode in any process."""

    deterministic: bool = True


def spec_of(world: type, id: str, settings: Mapping[str, Any], *, deterministic: bool) -> EnvironmentSpec:
    """The spec of the class ``world``, made with ``settings``; ``spec.make()`` builds an equal one.

    An environment has no turn limit and no order checks of gymnasium's: the horizon is the rollout's, and
    :class:`~agentgym_rl.environments.errors.ResetNeeded` says what order enforcement would.
    """
    return EnvironmentSpec(
        id=f"agentgym_rl/{id}-v0",
        entry_point=f"{world.__module__}:{world.__qualname__}",
        nondeterministic=not deterministic,
        order_enforce=False,
        disable_env_checker=True,
        kwargs=dict(settings),
        deterministic=deterministic,
    )
