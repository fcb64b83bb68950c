"""A preset and the user's overrides become one recipe, or an error that names both sides and the way out. No torch here."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agentgym_rl.config.settings import Settings
from agentgym_rl.training.advantages.settings import ESTIMATORS
from agentgym_rl.training.algorithms.policies import POLICY_LOSSES
from agentgym_rl.training.algorithms.presets import preset_named
from agentgym_rl.training.algorithms.recipe import KlRecipe, LossRecipe, Recipe
from agentgym_rl.training.algorithms.sections import AdvantageSettings, KlSettings, LossSettings

if TYPE_CHECKING:
    from agentgym_rl.training.algorithms.settings import AlgorithmSettings


def combine(settings: AlgorithmSettings) -> Recipe:
    """The preset ``settings.name`` with the overrides of ``settings``.

    Raises:
        ValueError: an unknown preset, estimator or policy loss, or overrides that contradict each other or would do nothing.
    """
    preset = preset_named(settings.name)
    estimator, advantage = _advantage(preset, settings.advantage)
    loss = _loss(preset.loss, settings.loss)
    recipe = Recipe(
        name=settings.name,
        estimator=estimator,
        advantage=advantage,
        loss=loss,
        kl=_kl(preset.kl, settings.kl),
        entropy_coefficient=settings.entropy_coefficient,
        correction=settings.correction,
        dynamic_sampling=preset.dynamic_sampling if settings.dynamic_sampling is None else settings.dynamic_sampling or None,
        overlong=settings.overlong,
        critic=preset.critic if settings.critic is None else settings.critic or None,
        forced_tokens=settings.forced_tokens,
    )
    # A preset's critic goes with the preset's estimator; only one the user asked for can be out of place.
    if not _reads_values(recipe) and settings.critic is None:
        recipe = replace(recipe, critic=None)
    _check_critic(recipe)
    _check_correction(recipe)
    _check_overlong(recipe)
    return recipe


def _advantage(preset: Recipe, overrides: AdvantageSettings) -> tuple[str, Settings]:
    name = overrides.estimator or preset.estimator
    if name not in ESTIMATORS:
        raise ValueError(f"algorithm.advantage.estimator={name!r} is unknown: {_nearest(name, list(ESTIMATORS))}")
    model = ESTIMATORS[name].settings
    given = overrides.model_dump(exclude={"estimator", "options"}, exclude_none=True)
    for key in overrides.options:
        if key in AdvantageSettings.model_fields:
            raise ValueError(f"algorithm.advantage.options.{key} has a key of its own: set algorithm.advantage.{key}")
    given |= overrides.options

    def option(key: str) -> str:
        return f"options.{key}" if key in overrides.options else key

    for key, value in given.items():
        if key not in model.model_fields:
            takes = ", ".join(model.model_fields)
            raise ValueError(
                f"algorithm.advantage.{option(key)}={value} does nothing with advantage.estimator={name}, which takes {takes}: "
                "remove it or choose another estimator"
            )
    defaults = preset.advantage.model_dump() if name == preset.estimator else {}
    try:
        return name, model(**{**defaults, **given})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"algorithm.advantage.{option(key)}={first['input']}: {first['msg']}") from None


def _loss(preset: LossRecipe, overrides: LossSettings) -> LossRecipe:
    policy = overrides.policy or preset.policy
    if policy not in POLICY_LOSSES:
        raise ValueError(f"algorithm.loss.policy={policy!r} is unknown: {_nearest(policy, list(POLICY_LOSSES))}")
    bounds = POLICY_LOSSES[policy].clips
    given: dict[str, Any] = overrides.model_dump(exclude={"policy", "aggregation", "fixed_length"}, exclude_none=True)
    for key, value in given.items():
        if key not in bounds:
            takes = ", ".join(bounds) or "no clip"
            raise ValueError(
                f"algorithm.loss.{key}={value} does nothing with loss.policy={policy}, which has {takes}: remove it"
            )
    clips: dict[str, Any] = {key: getattr(preset, key) for key in bounds} if policy == preset.policy else dict(bounds)
    clips |= {key: value or None if key == "dual_clip" else value for key, value in given.items()}
    aggregation = overrides.aggregation or preset.aggregation
    fixed_length = overrides.fixed_length
    if aggregation != "fixed_length" and fixed_length is not None:
        raise ValueError(
            f"algorithm.loss.fixed_length={fixed_length} does nothing with loss.aggregation={aggregation}: "
            "remove it or set loss.aggregation=fixed_length"
        )
    if aggregation == "fixed_length":
        fixed_length = fixed_length or preset.fixed_length
        if fixed_length is None:
            raise ValueError(
                "algorithm.loss.aggregation=fixed_length needs loss.fixed_length: about the sampled tokens of an episode"
            )
    return LossRecipe(policy=policy, aggregation=aggregation, fixed_length=fixed_length, **clips)


def _kl(preset: KlRecipe, overrides: KlSettings) -> KlRecipe:
    given = {key: getattr(overrides, key) for key in ("estimator", "placement", "controller")}
    given = {key: value for key, value in given.items() if value is not None}
    if overrides.coefficient == 0 and given:
        key = next(iter(given))
        raise ValueError(
            f"algorithm.kl.{key} does nothing with kl.coefficient=0, which loads no reference: "
            "set kl.coefficient above 0 (0.001 is usual) or remove it"
        )
    if overrides.placement is not None and overrides.placement != preset.placement:
        given = {"estimator": "k3" if overrides.placement == "loss" else "k1", **given}
    kl = replace(preset, coefficient=overrides.coefficient, **given)
    if kl.placement == "loss" and kl.estimator == "k1":
        raise ValueError(
            "algorithm.kl.estimator=k1 does nothing with kl.placement=loss, where its mean gradient is zero: "
            "set kl.estimator=k2 or k3, or kl.placement=reward"
        )
    return kl


def _reads_values(recipe: Recipe) -> bool:
    return ESTIMATORS[recipe.estimator].values_at is not None


def _check_critic(recipe: Recipe) -> None:
    if _reads_values(recipe) and recipe.critic is None:
        raise ValueError(
            f"algorithm.advantage.estimator={recipe.estimator} needs a critic, and algorithm.critic is off: "
            "set algorithm.critic={} or choose an estimator without one (grpo, rloo, reinforce)"
        )
    if not _reads_values(recipe) and recipe.critic is not None:
        raise ValueError(
            f"algorithm.critic does nothing with advantage.estimator={recipe.estimator}: "
            "remove it or set advantage.estimator=gae (or turn_gae)"
        )


def _check_correction(recipe: Recipe) -> None:
    correction = recipe.correction
    if correction is None:
        return
    loss = POLICY_LOSSES[recipe.loss.policy]
    if correction.level == "sequence" and loss.has_ratio and not loss.whole_episode:
        raise ValueError(
            f"algorithm.correction.level=sequence contradicts loss.policy={recipe.loss.policy}, whose ratio is that of a "
            "token: set correction.level=token, or loss.policy=gspo (or policy_gradient)"
        )
    if correction.kind == "truncate" and correction.floor is not None:
        raise ValueError(
            f"algorithm.correction.floor={correction.floor} does nothing with correction.kind=truncate: "
            "remove it or set correction.kind=mask"
        )


def _check_overlong(recipe: Recipe) -> None:
    overlong = recipe.overlong
    if overlong is None:
        return
    if overlong.unit == "tokens" and overlong.limit is None:
        raise ValueError("algorithm.overlong.unit=tokens needs overlong.limit: the tokens at which the penalty is full")
    if overlong.limit is not None and overlong.buffer > overlong.limit:
        raise ValueError(
            f"algorithm.overlong.buffer={overlong.buffer} is above overlong.limit={overlong.limit}: make it smaller"
        )


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
