"""The algorithms by name: an estimator, a loss and the defaults of its paper. No torch here.

Others are found as ``package.module:RECIPE``, so that a run's folder alone says where its algorithm is.

No preset has a KL term of its own: a coefficient of 0 keeps the reference model out of memory. What placement and
estimator the KL gets once ``algorithm.kl.coefficient`` is set is the paper's.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from agentgym_rl.training.advantages import settings as estimators
from agentgym_rl.training.algorithms.recipe import KlRecipe, LossRecipe, Recipe
from agentgym_rl.training.algorithms.sections import CriticSettings, DynamicSamplingSettings

_IN_REWARD = KlRecipe(estimator="k1", placement="reward")
EPISODE_TOKENS = 64.0
"""``fixed_length`` of the presets that sum over tokens: it only scales the loss against ``optimizer.max_grad_norm``."""

PRESETS: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            name="ppo",
            estimator="gae",
            advantage=estimators.GaeSettings(whiten=True),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="token_mean"),
            kl=_IN_REWARD,
            critic=CriticSettings(),
        ),
        Recipe(
            name="turn_ppo",
            estimator="turn_gae",
            advantage=estimators.TurnGaeSettings(whiten=True),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="token_mean"),
            kl=_IN_REWARD,
            critic=CriticSettings(),
        ),
        Recipe(
            name="grpo",
            estimator="grpo",
            advantage=estimators.GrpoSettings(),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="episode_mean"),
        ),
        Recipe(
            name="dr_grpo",
            estimator="dr_grpo",
            advantage=estimators.DrGrpoSettings(),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="fixed_length", fixed_length=EPISODE_TOKENS),
        ),
        Recipe(
            name="dapo",
            estimator="grpo",
            advantage=estimators.GrpoSettings(),
            loss=LossRecipe("ppo_clip", 0.2, 0.28, aggregation="token_mean"),
            dynamic_sampling=DynamicSamplingSettings(),
        ),
        Recipe(
            name="gspo",
            estimator="grpo",
            advantage=estimators.GrpoSettings(),
            loss=LossRecipe("gspo", 3e-4, 4e-4, aggregation="episode_mean"),
        ),
        Recipe(
            name="cispo",
            estimator="grpo",
            advantage=estimators.GrpoSettings(),
            loss=LossRecipe("cispo", None, 4.0, aggregation="token_mean"),
        ),
        Recipe(
            name="rloo",
            estimator="rloo",
            advantage=estimators.RlooSettings(),
            loss=LossRecipe("policy_gradient", aggregation="fixed_length", fixed_length=EPISODE_TOKENS),
            kl=_IN_REWARD,
        ),
        Recipe(
            name="reinforce",
            estimator="reinforce",
            advantage=estimators.ReinforceSettings(),
            loss=LossRecipe("policy_gradient", aggregation="fixed_length", fixed_length=EPISODE_TOKENS),
            kl=_IN_REWARD,
        ),
        Recipe(
            name="reinforce_pp",
            estimator="reinforce_pp",
            advantage=estimators.ReinforcePlusPlusSettings(),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="token_mean"),
            kl=_IN_REWARD,
        ),
        Recipe(
            name="remax",
            estimator="remax",
            advantage=estimators.RemaxSettings(),
            loss=LossRecipe("policy_gradient", aggregation="fixed_length", fixed_length=EPISODE_TOKENS),
            kl=_IN_REWARD,
        ),
        Recipe(
            name="gigpo",
            estimator="gigpo",
            advantage=estimators.GigpoSettings(),
            loss=LossRecipe("ppo_clip", 0.2, 0.2, aggregation="token_mean"),
        ),
    )
}
_ELSEWHERE = re.compile(r"\w+(\.\w+)*:\w+")


def preset_named(name: str) -> Recipe:
    """The preset ``name``, or the :class:`Recipe` that ``package.module:RECIPE`` names; importing its module registers its parts.

    Raises:
        ValueError: there is none of that name, or its module can't be imported.
    """
    if name in PRESETS:
        return PRESETS[name]
    if not _ELSEWHERE.fullmatch(name):
        near = get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PRESETS)}"
        raise ValueError(f"algorithm.name={name!r} is unknown: {hint} Or give package.module:RECIPE")
    module, _, attribute = name.partition(":")
    try:
        if find_spec(module.partition(".")[0]) is None:
            sys.path.append(str(Path.cwd()))  # a console script does not look into the folder it is called from
        found = getattr(import_module(module), attribute, None)
    except ModuleNotFoundError as error:
        raise ValueError(f"algorithm.name={name!r}: there is no module {error.name!r}") from error
    except Exception as error:  # whatever the module does while it is imported
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"algorithm.name={name!r}: module {module!r} can't be imported: {what}") from error
    if not isinstance(found, Recipe):
        raise ValueError(f"algorithm.name={name!r}: module {module!r} has no Recipe of the name {attribute!r}")
    return replace(found, name=name)
