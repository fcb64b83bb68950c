"""Loading: merging, errors, keys without effect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import pytest
from pydantic import Field, ValidationError, model_validator

from agentgym_rl.config import ConfigError, ReadWhen, Settings, difference, dump, explain, load
from agentgym_rl.config.schema import keys_of


class Fixed(Settings):
    schedule: Literal["fixed"] = "fixed"
    turns: list[Annotated[int, Field(ge=1)]] = Field(min_length=1, max_length=1)


class Stages(Settings):
    schedule: Literal["stages"] = "stages"
    turns: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)
    every: int = Field(ge=1)
    """Steps a stage."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if sorted(self.turns) != self.turns:
            raise ValueError(f"plan.turns={self.turns} falls")
        return self


class Shape(Settings):
    layers: int = 4
    deep: int | None = None


class Model(Settings):
    path: str = "small"
    """Where the model
    is."""
    tiny: Shape | None = None
    bonus: float = 0.0
    target: float = 1.0
    read_when: ClassVar[Mapping[str, ReadWhen]] = {
        "tiny": ReadWhen("path", ("tiny",)),
        "target": ReadWhen("bonus", above=0),
    }


class World(Settings):
    id: str = "a"
    weight: float = 1.0


class Worlds(World):
    mix: list[World] = Field(default_factory=list)
    read_when: ClassVar[Mapping[str, ReadWhen]] = {name: ReadWhen("mix", ([],)) for name in World.model_fields}


class Root(Settings):
    """The root."""

    plan: Annotated[Fixed | Stages, Field(discriminator="schedule")] = Fixed(turns=[10])
    model: Model = Model()
    world: Worlds = Worlds()
    learning_rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.95)
    names: list[str] | Literal["all"] = "all"
    critic: Shape | Literal[False] | None = None
    steps: int = Field(default=5, ge=1)
    exact: bool = False
    read_when: ClassVar[Mapping[str, ReadWhen]] = {"exact": ReadWhen("model.path", ("tiny",))}


FILE = """\
plan:
  schedule: stages
  turns: [4, 6]
  every: 100
model:
  path: tiny
  tiny: {layers: 2}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(FILE)
    return path


def problem(path: Path | None, *overrides: str) -> str:
    with pytest.raises(ConfigError) as raised:
        load(path, overrides, Root)
    message = str(raised.value)
    assert message.count("\n") <= 1
    return message


def test_defaults_without_a_file() -> None:
    loaded = load(None, [], Root)
    assert loaded.settings == Root()
    assert loaded.notes == []


def test_overrides_reach_the_settings(file: Path) -> None:
    settings = load(
        file,
        [
            "plan.turns=[3,5,7]",
            "model.tiny.layers=9",
            "learning_rate=1e-6",
            "betas=[0.8, 0.9]",
            "names=[x, 'y z']",
            "critic=false",
        ],
        Root,
    ).settings
    assert settings.plan == Stages(turns=[3, 5, 7], every=100)
    assert settings.model.tiny == Shape(layers=9)
    assert settings.learning_rate == 1e-6
    assert settings.betas == (0.8, 0.9)
    assert settings.names == ["x", "y z"]
    assert settings.critic is False


def test_an_override_may_make_sections_that_the_file_does_not_have() -> None:
    settings = load(None, ["critic.layers=2", "plan.schedule=stages", "plan.every=3", "plan.turns=[1]"], Root).settings
    assert settings.critic == Shape(layers=2)
    assert settings.plan == Stages(turns=[1], every=3)


def test_an_override_replaces_a_whole_section(file: Path) -> None:
    assert load(file, ["plan={schedule: fixed, turns: [2]}"], Root).settings.plan == Fixed(turns=[2])


def test_items_of_lists_can_be_overridden(tmp_path: Path) -> None:
    path = tmp_path / "mix.yaml"
    path.write_text("world:\n  mix:\n  - id: a\n  - id: b\n")
    settings = load(path, ["world.mix.1.weight=3.5"], Root).settings
    assert settings.world.mix == [World(id="a"), World(id="b", weight=3.5)]
    assert problem(path, "world.mix.2.weight=1") == "override world.mix.2.weight=1: world.mix has 2 items, so no '2'"
    assert "no 'x'" in problem(path, "world.mix.x.weight=1")
    assert "world.mix has 2 items" in problem(path, f"world.mix.{'9' * 5000}.weight=1")


def test_the_kind_of_a_section_defaults_to_that_of_its_default() -> None:
    assert load(None, ["plan.turns=[3]"], Root).settings.plan == Fixed(turns=[3])
    assert load(None, ["plan.schedule=fixed"], Root).settings.plan == Fixed(turns=[10])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("plan.evry=5", "unknown key plan.evry; did you mean plan.every?"),
        ("lr=1", "unknown key lr; did you mean learning_rate?"),
        ("layers=1", "unknown key layers; did you mean model.tiny.layers or critic.layers?"),
        ("model.zork=1", "unknown key model.zork; model has: path, tiny, bonus, target"),
        ("steps=x", "should be integer"),
        ("steps='3'", "should be integer"),
        ("steps=2.5", "should be integer"),
        ("steps=true", "should be integer"),
        ("steps=0", "should be greater than or equal to 1"),
        ("steps=", "should be integer"),
        ("learning_rate=fast", "should be number"),
        ("betas=[1]", "should be 2 × number"),
        ("names=3", "should be list of text or all"),
        ("names=[3]", "names.0=3: should be text"),
        ("model=3", "model=3: is a section with the keys path, tiny, bonus, target"),
        ("model.path.x=3", "model.path={'x': 3}: should be text"),
        ("plan.schedule=stage", "plan.schedule='stage': should be one of fixed, stages; did you mean stages?"),
        ("plan.schedule=[1]", "plan.schedule=[1]: should be one of fixed, stages"),
        ("plan.turns=[]", "should have at least 1 item(s) while plan.schedule is fixed"),
        ("plan.turns=[1,2]", "should have at most 1 item(s) while plan.schedule is fixed"),
        ("plan={schedule: stages, every: 1, turns: [3,2]}", "plan.turns=[3, 2] falls"),
        ("steps", "write it as key=value, e.g. run.steps=20"),
        ("=3", "write it as key=value, e.g. run.steps=20"),
        ("a..b=3", "write it as key=value, e.g. run.steps=20"),
        ("steps=[1", "not readable as YAML: expected ',' or ']', but got '<stream end>'"),
    ],
)  # fmt: skip
def test_bad_overrides(override: str, message: str) -> None:
    assert problem(None, override).removeprefix("override ") in (
        f"{override}: {message}",
        f"{override!r}: {message}",
        message,
    )


def test_several_problems_are_counted() -> None:
    assert problem(None, "steps=x", "learning_rate=y").endswith("should be number (and 1 more problem)")


def test_missing_values_name_what_asked_for_them() -> None:
    message = problem(None, "plan.schedule=stages", "plan.turns=[1]")
    assert message == "override plan.schedule=stages: plan.every is missing: give it a value (integer)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model:\n  pth: x\n", ":2: unknown key model.pth; did you mean model.path?"),
        ("\nsteps: x\n", ":2: steps='x': should be integer"),
        ("plan:\n  schedule: stages\n  turns: [3, 1]\n  every: 1\n", ":1: plan.turns=[3, 1] falls"),
        (
            "plan:\n  schedule: fixed\n  every: 1\n",
            ":3: plan.every would do nothing: read only when plan.schedule is stages",
        ),
        ("model:\n  tiny: {layers: 1}\n", ":2: model.tiny would do nothing: read only when model.path is tiny"),
        ("- 1\n", ": settings are sections with keys, not [1]"),
        ("world:\n  mix:\n  - id: a\n  - idd: b\n", ":4: unknown key world.mix.1.idd; did you mean world.mix.1.id?"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert problem(path) == f"{path}{message}"


def test_files_that_cannot_be_read(tmp_path: Path, file: Path) -> None:
    assert problem(tmp_path / "b.yaml") == f"{tmp_path / 'b.yaml'}: no such file; there are {file}"
    assert "not readable" in problem(tmp_path)
    binary = tmp_path / "c.yaml"
    binary.write_bytes(b"\xff\xfe")
    assert problem(binary) == f"{binary}: not a text file in UTF-8"


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# nothing\n")
    assert load(tmp_path / "a.yaml", [], Root).settings == Root()


def test_overrides_without_effect_are_errors(file: Path) -> None:
    nothing = "would do nothing: read only when"
    assert problem(None, "plan.every=5") == f"override plan.every=5: plan.every {nothing} plan.schedule is stages"
    assert problem(None, "model.tiny.layers=2").endswith(f"model.tiny {nothing} model.path is tiny")
    assert problem(None, "model.target=2").endswith(f"model.target {nothing} model.bonus is above 0")
    assert problem(None, "exact=true").endswith(f"exact {nothing} model.path is tiny")
    assert problem(None, "world.mix=[{id: a}]", "world.id=b").endswith(f"world.id {nothing} world.mix is not set")
    # the file has the section, another override makes it inert: the override inside it is still an error
    assert problem(file, "model.path=small", "model.tiny.layers=3").startswith("override model.tiny.layers=3: model.tiny")


def test_keys_of_the_file_that_an_override_makes_inert_are_dropped_and_told(file: Path) -> None:
    loaded = load(file, ["plan.schedule=fixed", "plan.turns=[5]", "model.path=small"], Root)
    assert loaded.settings == Root(plan=Fixed(turns=[5]))
    assert loaded.notes == [
        f"{file}:4: plan.every dropped: plan.schedule=fixed leaves it without effect"
        " (read only when plan.schedule is stages)",
        f"{file}:7: model.tiny dropped: model.path=small leaves it without effect (read only when model.path is tiny)",
    ]


def test_a_value_equal_to_the_default_is_no_error() -> None:
    assert load(None, ["model.tiny=null", "exact=false"], Root).settings == Root()


@pytest.mark.parametrize(
    ("first", "second"), [("steps=1", "steps=2"), ("model.path=x", "model={}"), ("critic=null", "critic.layers=2")]
)
def test_overrides_of_one_key_contradict_each_other(first: str, second: str) -> None:
    assert f"override {second}: {first} sets" in problem(None, first, second)


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["plan.schedule=stages", "plan.turns=[1,2]", "plan.every=3"],
        ["model.path=tiny", "model.tiny.layers=7", "exact=true"],
        ["world.mix=[{id: x, weight: 2.0}, {id: y}]"],
        ["critic=false", "names=[a]", "learning_rate=1e-7"],
    ],
)
def test_what_is_dumped_loads_to_the_same(tmp_path: Path, overrides: list[str]) -> None:
    settings = load(None, overrides, Root).settings
    path = tmp_path / "config.yaml"
    path.write_text(dump(settings, {"torch": "2.13", "threads": 2}))
    assert path.read_text().startswith("# torch: 2.13\n# threads: 2\nplan:\n")
    loaded = load(path, [], Root)
    assert loaded.settings == settings
    assert loaded.notes == []


def test_difference_names_the_keys_that_changed() -> None:
    old = Root(plan=Stages(turns=[1, 2], every=3))
    new = Root(steps=6, model=Model(path="tiny", tiny=Shape(layers=1)))
    assert list(map(str, difference(old, new))) == [
        "plan.schedule: 'stages' → 'fixed'",
        "plan.turns: [1, 2] → [10]",
        "plan.every: 3 → None",
        "model.path: 'small' → 'tiny'",
        "steps: 5 → 6",
        "model.tiny.layers: None → 1",
        "exact: None → False",
    ]
    assert difference(old, old) == []


def test_explanations_cover_every_key() -> None:
    explained = {one.key: one for one in explain(Root)}
    keys = {".".join("N" if part == 0 else str(part) for part in path) for path, _, _ in keys_of(Root)}
    assert explained.keys() == keys
    assert explained["model.path"].text == "Where the model is."
    assert explained["model.path"].default == "small"
    assert explained["model.tiny"].condition == "read when path is tiny"
    assert explained["plan.every"].condition == "schedule=stages"
    assert explained["plan.every"].default == "required"
    assert explained["world.mix.N.weight"].type == "number"
    assert explained["critic.layers"].type == "integer"


@pytest.mark.parametrize("value", ["1e400", "-1e400", "9" * 4001])
def test_a_number_without_bounds_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^override bonus=.*: should be a finite number$"):
        load(None, [f"bonus={value}"], Model)
    with pytest.raises(ValidationError, match="finite number"):
        Model(bonus=float(value))
