"""Names and overrides become an algorithm, or an error that names both settings and the way out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agentgym_rl.training.algorithms.presets import PRESETS, preset_named
from agentgym_rl.training.algorithms.resolve import check, clipping_is_idle, refuse_idle_clips, resolve
from agentgym_rl.training.algorithms.settings import AlgorithmSettings

NAMES = [
    *("ppo", "turn_ppo", "grpo", "dr_grpo", "dapo", "gspo", "cispo"),
    *("rloo", "reinforce", "reinforce_pp", "remax", "gigpo"),
]


def test_every_name_is_a_preset() -> None:
    assert list(PRESETS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_a_preset_resolved_to_is_a_section_that_resolves_to_it(name: str) -> None:
    algorithm = resolve(AlgorithmSettings(name=name))
    assert resolve(AlgorithmSettings(**algorithm.describe())) == algorithm


@pytest.mark.parametrize("name", NAMES)
def test_every_estimator_takes_the_general_overrides(name: str) -> None:
    overrides = {
        "loss": {"aggregation": "fixed_length", "fixed_length": 7},
        "kl": {"coefficient": 0.01, "controller": {"kind": "adaptive", "target": 0.1}},
        "entropy_coefficient": 0.02,
        "correction": {"kind": "mask", "floor": 0.5},
        "overlong": {"buffer": 2},
        "forced_tokens": 0.1,
    }
    algorithm = resolve(AlgorithmSettings(name=name, **overrides))
    described = algorithm.describe()
    assert described["loss"]["fixed_length"] == 7
    assert described["kl"]["coefficient"] == 0.01
    assert described["correction"]["floor"] == 0.5
    assert resolve(AlgorithmSettings(**described)) == algorithm


def test_one_field_changes_and_the_rest_stays() -> None:
    plain, changed = (resolve(AlgorithmSettings(name="dapo", **o)).describe() for o in ({}, {"loss": {"clip_high": 0.5}}))
    assert changed["loss"].pop("clip_high") == 0.5
    assert plain["loss"].pop("clip_high") == 0.28
    assert changed == plain


def test_another_loss_brings_its_own_clip() -> None:
    loss = resolve(AlgorithmSettings(name="gspo", loss={"policy": "ppo_clip"})).describe()["loss"]
    assert (loss["clip_low"], loss["clip_high"]) == (0.2, 0.2)


def test_parts_of_a_preset_can_be_turned_off() -> None:
    assert resolve(AlgorithmSettings(name="dapo", dynamic_sampling=False)).recipe.dynamic_sampling is None
    clipped = AlgorithmSettings(name="ppo", loss={"dual_clip": 3.0})
    assert resolve(clipped).recipe.loss.dual_clip == 3.0
    assert resolve(AlgorithmSettings(name="ppo", loss={"dual_clip": False})).recipe.loss.dual_clip is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("recipe = (", "can't be imported: SyntaxError: "),
        ("import nothing_of_that_name", "there is no module 'nothing_of_that_name'"),
        ("from agentgym_rl import nothing_of_that_name", "can't be imported: ImportError: "),
        ("1 / 0", "can't be imported: ZeroDivisionError: division by zero"),
        ("raise KeyError('two\\nlines')", "can't be imported: KeyError: "),
        ("RECIPE = 1", "has no Recipe of the name 'RECIPE'"),
    ],
)
def test_a_recipe_s_module_that_fails_is_one_line(
    text: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"recipe_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(text)
    with pytest.raises(ValueError, match=r"^algorithm\.name=") as raised:
        preset_named(f"{name}:RECIPE")
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_estimator_with_a_critic_on_another_preset() -> None:
    algorithm = resolve(AlgorithmSettings(name="grpo", advantage={"estimator": "gae", "lam": 0.9}, critic={}))
    assert algorithm.needs_critic
    assert not resolve(AlgorithmSettings(name="ppo", advantage={"estimator": "grpo"})).needs_critic


def test_placement_brings_the_estimator_that_fits_it() -> None:
    assert resolve(AlgorithmSettings(name="ppo", kl={"coefficient": 0.1, "placement": "loss"})).recipe.kl.estimator == "k3"
    assert (
        resolve(AlgorithmSettings(name="grpo", kl={"coefficient": 0.1, "placement": "reward"})).recipe.kl.estimator == "k1"
    )


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ({"name": "gpo"}, ["algorithm.name='gpo'", "'gspo'"]),
        ({"advantage": {"estimator": "rlo"}}, ["algorithm.advantage.estimator='rlo'", "'rloo'"]),
        ({"advantage": {"lam": 0.9}}, ["advantage.lam=0.9", "estimator=grpo", "gamma, epsilon"]),
        ({"advantage": {"gamma": 2.0}}, ["advantage.gamma=2.0"]),
        ({"advantage": {"estimator": "gae"}}, ["estimator=gae", "algorithm.critic"]),
        ({"name": "ppo", "critic": False}, ["estimator=gae", "algorithm.critic"]),
        ({"critic": {}}, ["algorithm.critic", "estimator=grpo", "gae"]),
        ({"name": "rloo", "loss": {"clip_low": 0.1}}, ["loss.clip_low=0.1", "policy=policy_gradient"]),
        ({"name": "gspo", "loss": {"dual_clip": 3.0}}, ["loss.dual_clip=3.0", "policy=gspo"]),
        ({"loss": {"fixed_length": 4}}, ["loss.fixed_length=4", "aggregation=episode_mean"]),
        ({"loss": {"aggregation": "fixed_length"}}, ["aggregation=fixed_length", "loss.fixed_length"]),
        ({"kl": {"placement": "reward"}}, ["kl.placement", "kl.coefficient=0"]),
        ({"kl": {"controller": {"kind": "fixed"}}}, ["kl.controller", "kl.coefficient=0"]),
        ({"kl": {"coefficient": 0.1, "estimator": "k1"}}, ["kl.estimator=k1", "kl.placement=loss", "reward"]),
        ({"correction": {"level": "sequence"}}, ["correction.level=sequence", "loss.policy=ppo_clip", "gspo"]),
        ({"correction": {"floor": 0.5}}, ["correction.floor=0.5", "kind=truncate"]),
        ({"overlong": {"unit": "tokens", "buffer": 5}}, ["overlong.unit=tokens", "overlong.limit"]),
        ({"overlong": {"limit": 4, "buffer": 5}}, ["overlong.buffer=5", "overlong.limit=4"]),
        ({"los": {}}, ["los"]),
        ({"loss": {"clip": 0.1}}, ["clip"]),
    ],
)
def test_contradictions_name_both_sides(section: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(ValidationError) as raised:
        AlgorithmSettings(**section)
    for part in named:
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("section", "batch", "named"),
    [
        ({"name": "grpo"}, {"group_size": 1}, ["batch.group_size=1", "estimator=grpo"]),
        ({"name": "gigpo"}, {"group_size": 1}, ["batch.group_size=1", "estimator=gigpo"]),
        (
            {"name": "reinforce", "dynamic_sampling": {"max_redraws": 2}},
            {"group_size": 1},
            ["batch.group_size=1", "dynamic_sampling"],
        ),
        ({"name": "ppo"}, {"mini_batches": 9}, ["batch.mini_batches=9", "batch.groups=2"]),
        ({"name": "rloo"}, {"epochs": 2}, ["batch.epochs=2", "policy=policy_gradient"]),
    ],
)
def test_a_batch_that_does_not_fit_is_named(section: dict[str, Any], batch: dict[str, int], named: list[str]) -> None:
    fitting = {"groups": 2, "group_size": 4, "mini_batches": 1, "epochs": 1}
    algorithm = resolve(AlgorithmSettings(**section))
    check(algorithm, **fitting)
    with pytest.raises(ValueError, match="batch") as raised:
        check(algorithm, **{**fitting, **batch})
    for part in named:
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ({"loss": {"clip_low": 0.1}}, "algorithm.loss.clip_low=0.1"),
        ({"loss": {"dual_clip": 3.0}}, "algorithm.loss.dual_clip=3.0"),
        ({"name": "gspo", "loss": {"policy": "ppo_clip", "clip_low": 3e-4}}, "algorithm.loss.clip_low=0.0003"),
        ({"name": "gspo", "loss": {"clip_high": 0.01}}, "algorithm.loss.clip_high=0.01"),
        ({"name": "cispo", "loss": {"clip_high": 2.0}}, "algorithm.loss.clip_high=2.0"),
        ({"name": "ppo", "critic": {"clip": 0.5}}, "algorithm.critic.clip=0.5"),
        ({"name": "ppo", "critic": {"clip": None}}, "algorithm.critic.clip=null"),
    ],
)
def test_a_clip_that_nothing_can_reach_is_named(section: dict[str, Any], named: str) -> None:
    settings = AlgorithmSettings(**section)
    with pytest.raises(ValueError, match="does nothing with") as raised:
        refuse_idle_clips(settings, mini_batches=1, epochs=1)
    for part in (named, "batch.epochs=1", "batch.mini_batches=1", "above 1"):
        assert part in str(raised.value)
    refuse_idle_clips(settings, mini_batches=2, epochs=1)
    refuse_idle_clips(settings, mini_batches=1, epochs=2)
    assert clipping_is_idle(resolve(settings), mini_batches=1, epochs=1)
    assert not clipping_is_idle(resolve(settings), mini_batches=2, epochs=1)


@pytest.mark.parametrize(
    "section",
    [
        *({"name": name} for name in NAMES),
        {"loss": {"dual_clip": False}},
        {"name": "gspo", "loss": {"policy": "ppo_clip"}},
        {"name": "grpo", "advantage": {"estimator": "gae"}, "critic": {}},
        {"name": "ppo", "critic": {"kind": "model"}},
    ],
)
def test_what_is_printed_of_an_algorithm_can_be_trained_with(section: dict[str, Any]) -> None:
    algorithm = resolve(AlgorithmSettings(**section))
    printed = AlgorithmSettings(**algorithm.describe())
    refuse_idle_clips(printed, mini_batches=1, epochs=1)  # though every clip is set in it
    assert resolve(printed) == algorithm


@pytest.mark.parametrize("name", NAMES)
def test_a_presets_own_clips_may_be_idle(name: str) -> None:
    settings = AlgorithmSettings(name=name)
    refuse_idle_clips(settings, mini_batches=1, epochs=1)
    without = name in ("rloo", "reinforce", "remax")
    assert clipping_is_idle(resolve(settings), mini_batches=1, epochs=1) is not without


def test_estimators_without_groups_take_single_episodes() -> None:
    for name in ("ppo", "turn_ppo", "reinforce", "reinforce_pp", "remax"):
        check(resolve(AlgorithmSettings(name=name)), groups=2, group_size=1, mini_batches=2, epochs=1)


def test_settings_load_without_torch() -> None:
    code = "import sys; import agentgym_rl.training.algorithms.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
