"""Estimators by name."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from agentgym_rl.config.settings import Settings
from agentgym_rl.training.advantages.dr_grpo import dr_grpo
from agentgym_rl.training.advantages.gae import gae
from agentgym_rl.training.advantages.gigpo import gigpo
from agentgym_rl.training.advantages.grpo import grpo
from agentgym_rl.training.advantages.inputs import AdvantageInputs, Advantages
from agentgym_rl.training.advantages.reinforce import reinforce
from agentgym_rl.training.advantages.reinforce_pp import reinforce_pp
from agentgym_rl.training.advantages.reinforce_pp_baseline import reinforce_pp_baseline
from agentgym_rl.training.advantages.remax import remax
from agentgym_rl.training.advantages.rloo import rloo
from agentgym_rl.training.advantages.settings import ESTIMATORS, Estimator
from agentgym_rl.training.advantages.turn_gae import turn_gae

_FUNCTIONS: dict[str, Callable[[AdvantageInputs, Any], Advantages]] = {
    "gae": gae,
    "turn_gae": turn_gae,
    "grpo": grpo,
    "dr_grpo": dr_grpo,
    "rloo": rloo,
    "reinforce": reinforce,
    "reinforce_pp": reinforce_pp,
    "reinforce_pp_baseline": reinforce_pp_baseline,
    "remax": remax,
    "gigpo": gigpo,
}


def register(
    name: str, settings: type[Settings] | Estimator, function: Callable[[AdvantageInputs, Any], Advantages]
) -> None:
    """Add an estimator: ``function(inputs, settings)``.

    ``settings``: the model it takes; in an :class:`~agentgym_rl.training.advantages.settings.Estimator` where it needs more
    than rewards or where something else of what that says holds.

    Raises:
        ValueError: the name is taken.
    """
    if name in _FUNCTIONS:
        raise ValueError(f"estimator {name!r} exists already: choose another name")
    _FUNCTIONS[name] = function
    ESTIMATORS[name] = settings if isinstance(settings, Estimator) else Estimator(settings)


def estimate(name: str, inputs: AdvantageInputs, **settings: Any) -> Advantages:
    """Advantages of every action token by the named estimator.

    Args:
        name: one of :data:`agentgym_rl.training.advantages.settings.ESTIMATORS`.
        inputs: the episodes of a step.
        settings: what that estimator can be told; the rest has its defaults.

    Raises:
        ValueError: an unknown estimator or setting (with the nearest name), a value out of range, inputs that lack what
            the estimator needs or do not fit together.
    """
    if name not in _FUNCTIONS:
        raise ValueError(f"unknown estimator {name!r}: {_nearest(name, list(_FUNCTIONS))}")
    model = ESTIMATORS[name].settings
    for key in settings:
        if key not in model.model_fields:
            raise ValueError(f"estimator {name} has no setting {key!r}: {_nearest(key, list(model.model_fields))}")
    return _FUNCTIONS[name](inputs, model(**settings))


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
