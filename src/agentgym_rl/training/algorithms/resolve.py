"""From settings to an algorithm, and what must hold between it and the rest of a run."""

from __future__ import annotations

from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.algorithms.overrides import GROUP_ESTIMATORS, combine
from agentgym_rl.training.algorithms.settings import AlgorithmSettings


def resolve(settings: AlgorithmSettings) -> Algorithm:
    """The preset with the overrides of ``settings``, every field filled in."""
    return Algorithm(combine(settings))


def check(algorithm: Algorithm, *, groups: int, group_size: int, mini_batches: int, epochs: int) -> None:
    """Refuse a batch the algorithm cannot learn from.

    Args:
        algorithm: the resolved algorithm.
        groups: ``batch.groups``.
        group_size: ``batch.group_size``.
        mini_batches: ``batch.mini_batches``.
        epochs: ``batch.epochs``.

    Raises:
        ValueError: naming both settings and the way out.
    """
    recipe = algorithm.recipe
    if group_size == 1 and recipe.estimator in GROUP_ESTIMATORS:
        raise ValueError(
            f"batch.group_size=1 gives algorithm.advantage.estimator={recipe.estimator} nothing to compare: "
            "set batch.group_size to 2 or more (8 is usual), or algorithm.name=reinforce or ppo"
        )
    if group_size == 1 and recipe.dynamic_sampling is not None:
        raise ValueError(
            "batch.group_size=1 makes every group one without variance, which algorithm.dynamic_sampling would redraw: "
            "set batch.group_size to 2 or more, or algorithm.dynamic_sampling=false"
        )
    if mini_batches > groups * group_size:
        raise ValueError(
            f"batch.mini_batches={mini_batches} is more than the {groups * group_size} episodes of batch.groups={groups} x "
            f"batch.group_size={group_size}: lower batch.mini_batches"
        )
    if recipe.loss.policy == "policy_gradient" and epochs > 1:
        raise ValueError(
            f"batch.epochs={epochs} trains on the same episodes again, for which "
            "algorithm.loss.policy=policy_gradient has no ratio: set batch.epochs=1 or algorithm.loss.policy=ppo_clip"
        )
