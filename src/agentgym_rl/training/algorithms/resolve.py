"""From settings to an algorithm, and what must hold between it and the rest of a run."""

from __future__ import annotations

from agentgym_rl.training.advantages.settings import ESTIMATORS
from agentgym_rl.training.algorithms.algorithm import Algorithm
from agentgym_rl.training.algorithms.overrides import combine
from agentgym_rl.training.algorithms.policies import CLIP_NAMES, POLICY_LOSSES
from agentgym_rl.training.algorithms.presets import preset_named
from agentgym_rl.training.algorithms.sections import CriticSettings
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
    if group_size == 1 and ESTIMATORS[recipe.estimator].compares_groups:
        raise ValueError(
            f"batch.group_size=1 gives algorithm.advantage.estimator={recipe.estimator} nothing to compare: "
            "set batch.group_size to 2 or more (8 is usual), or algorithm.name=reinforce or ppo"
        )
    if group_size == 1 and recipe.dynamic_sampling is not None:
        raise ValueError(
            "batch.group_size=1 makes every group one without variance, which algorithm.dynamic_sampling would redraw: "
            "set batch.group_size to 2 or more, or algorithm.dynamic_sampling=false"
        )
    if mini_batches > groups:
        raise ValueError(f"batch.mini_batches={mini_batches} is more than batch.groups={groups}: a group is never cut")
    if not POLICY_LOSSES[recipe.loss.policy].has_ratio and epochs > 1:
        raise ValueError(
            f"batch.epochs={epochs} trains on the same episodes again, for which "
            f"algorithm.loss.policy={recipe.loss.policy} has no ratio: set batch.epochs=1 or algorithm.loss.policy=ppo_clip"
        )


def clipping_is_idle(algorithm: Algorithm, *, mini_batches: int, epochs: int) -> bool:
    """Whether there are clips and none can ever be active: old log-probs are the learner's own from before the update, so
    with a single update a step every ratio is exactly 1, and every value the old one.
    """
    recipe = algorithm.recipe
    clips = (recipe.loss.clip_low, recipe.loss.clip_high, recipe.loss.dual_clip, recipe.critic and recipe.critic.clip)
    return mini_batches * epochs == 1 and any(clip is not None for clip in clips)


def refuse_idle_clips(settings: AlgorithmSettings, *, mini_batches: int, epochs: int) -> None:
    """Refuse clips that were set to another value than the preset's and would do nothing; the preset's own are silent.

    So what a recipe says of itself, every clip included, is a section that may be used again.

    Raises:
        ValueError: naming both settings and the way out.
    """
    if mini_batches * epochs > 1:
        return
    unset = settings.loss.model_copy(update=dict.fromkeys(CLIP_NAMES))
    own = combine(settings.model_copy(update={"loss": unset})).loss
    set_here, in_effect = settings.loss, combine(settings).loss
    given: dict[str, float | str] = {
        f"loss.{key}": getattr(set_here, key)
        for key in CLIP_NAMES
        if getattr(set_here, key) is not None and getattr(in_effect, key) != getattr(own, key)
    }
    if settings.critic and settings.critic.clip != (preset_named(settings.name).critic or CriticSettings()).clip:
        given["critic.clip"] = "null" if settings.critic.clip is None else settings.critic.clip
    if given:
        key, value = next(iter(given.items()))
        raise ValueError(
            f"algorithm.{key}={value} does nothing with batch.epochs=1 and batch.mini_batches=1, since with one update a "
            "step nothing has moved that could be clipped: set batch.epochs or batch.mini_batches above 1, or remove it"
        )
