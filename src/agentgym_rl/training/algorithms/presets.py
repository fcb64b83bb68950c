"""The algorithms by name: an estimator, a loss and the defaults of its paper. No torch here.

No preset has a KL term of its own: a coefficient of 0 keeps the reference model out of memory. What placement and
estimator the KL gets once ``algorithm.kl.coefficient`` is set is the paper's.
"""

from __future__ import annotations

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

CLIPS: dict[str, dict[str, float | None]] = {
    "ppo_clip": {"clip_low": 0.2, "clip_high": 0.2, "dual_clip": None},
    "gspo": {"clip_low": 3e-4, "clip_high": 4e-4},
    "cispo": {"clip_low": None, "clip_high": 4.0},
    "policy_gradient": {},
}
"""The bounds each policy loss has, and their values where the policy was overridden and the bound was not."""
