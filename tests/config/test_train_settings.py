"""The settings of a training run: recipes load, every key is explained where a reader needs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentgym_rl.config import ConfigError, dump, explain, load
from agentgym_rl.training.settings import TrainSettings

CONFIGS = Path(__file__).parents[2] / "configs"
RECIPES = sorted(CONFIGS.glob("*.yaml"))


def test_there_are_recipes() -> None:
    assert {"quickstart", "tiny", "textcraft", "babyai", "babyai-quickstart"} <= {path.stem for path in RECIPES}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_load_and_come_back_from_a_dump(path: Path, tmp_path: Path) -> None:
    loaded = load(path, [], TrainSettings)
    assert loaded.notes == []
    assert loaded.settings.run.name == path.stem
    (tmp_path / "config.yaml").write_text(dump(loaded.settings))
    assert load(tmp_path / "config.yaml", [], TrainSettings).settings == loaded.settings


@pytest.mark.parametrize(("name", "turns"), [("textcraft", [10, 20, 30]), ("babyai", [6, 13, 20])])
def test_published_settings(name: str, turns: list[int]) -> None:
    published = load(CONFIGS / f"{name}.yaml", [], TrainSettings).settings
    assert published.horizon.turns == turns
    assert published.horizon.model_dump()["every"] == 100
    assert published.batch.group_size == 8
    assert published.optimizer.learning_rate == 1e-6
    assert published.algorithm.kl.coefficient == 1e-3
    assert published.model.path == "Qwen/Qwen2.5-7B-Instruct"


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("horizon.evry=5", ["horizon.evry", "horizon.every"]),
        ("horizon.every=5", ["horizon.every would do nothing", "horizon.schedule is stages"]),
        ("horizon.turns=[]", ["horizon.turns=[]"]),
        ("horizon={schedule: stages, turns: [8, 4], every: 1}", ["horizon.turns=[8, 4] falls"]),
        ("model.tiny.layers=2", ["model.tiny would do nothing", "model.path is tiny"]),
        ("agent.format=reakt", ["agent.format=reakt", "react"]),
        ("agent.thought_tokens=5", ["agent.action_space is admissible"]),
        ("agent.history=template", []),
        ("tracking.project=x", ["tracking.to is wandb or trackio"]),
        ("tracking.to=[tensorbord]", ["tensorboard"]),
        ("optimizer.lr=1", ["optimizer.learning_rate"]),
        ("algorithm.name=grop", ["grop", "grpo"]),
        ("environment.mix=[{idd: textcraft}]", ["environment.mix.0.id"]),
        ("environment.step_seconds=5", ["would do nothing", "environment.runner=thread or process"]),
        ("environment={runner: process, step_seconds: 5}", []),
        ("environment.weight=2", ["would do nothing", "environment.mix"]),
        ("environment.mix=[{id: textcraft}, {id: babyai, weight: 2}]", []),
        (
            "environment.mix=[{id: textcraft}, {id: babyai}, {id: textcraft}]",
            ["environment.mix has textcraft twice", "once"],
        ),
        ("evaluation.free=true", ["agent.action_space is admissible"]),
        ("optimizer={lora: {rank: 2}, train_embeddings: true}", ["optimizer.lora is not set"]),
        ("optimizer.betas=[1, 0.9]", ["optimizer.betas.0=1: should be less than 1"]),
        ("run.seed=9223372036854775808", ["should be less than"]),
    ],
)
def test_bad_settings_name_key_value_and_way_out(override: str, words: list[str]) -> None:
    if not words:
        load(None, [override], TrainSettings)
        return
    with pytest.raises(ConfigError) as raised:
        load(None, [override], TrainSettings)
    message = str(raised.value)
    assert message.startswith(f"override {override}: ")
    assert all(word in message for word in words), message
    assert "\n" not in message


def test_the_mix_makes_the_file_s_world_inert() -> None:
    loaded = load(CONFIGS / "quickstart.yaml", ["environment.mix=[{id: textcraft}, {id: babyai}]"], TrainSettings)
    assert [world.id for world in loaded.settings.environment.worlds] == ["textcraft", "babyai"]
    of_the_world = yaml.safe_load((CONFIGS / "quickstart.yaml").read_text())["environment"].keys() - {"id"}
    assert of_the_world
    dropped = [note.split(" dropped")[0].rpartition(" ")[2] for note in loaded.notes]
    assert sorted(dropped) == sorted(f"environment.{key}" for key in of_the_world)


def test_an_adapter_makes_the_file_s_trained_embeddings_inert() -> None:
    loaded = load(CONFIGS / "tiny.yaml", ["optimizer.lora.rank=8"], TrainSettings)
    assert loaded.settings.optimizer.train_embeddings is False
    assert len(loaded.notes) == 1
    assert "optimizer.train_embeddings dropped: optimizer.lora.rank=8" in loaded.notes[0]


def test_every_setting_has_a_section_explanation() -> None:
    assert [one.key for one in explain(TrainSettings) if one.section and not one.text] == []


KEYS = [one.key.replace(".N", ".0") for one in explain(TrainSettings)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(-2, 2) | st.sampled_from(["", "auto", "stages", "tiny", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "turns", "kind", "path", "zz"]), inner)
    ),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KEYS), VALUES), min_size=1, max_size=4))
@example([("evaluation.free", None), ("agent", [])])
def test_whatever_is_written_is_settings_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, object]]
) -> None:
    overrides = [f"{key}={json.dumps(value)}" for key, value in pairs]
    message = ""
    try:
        loaded = load(None, overrides, TrainSettings).settings
    except ConfigError as error:
        message = str(error)
    else:
        path = tmp_path_factory.mktemp("dumped") / "config.yaml"
        path.write_text(dump(loaded))
        assert load(path, [], TrainSettings).settings == loaded
    assert message.count("\n") <= 1
