"""What is to be evaluated, found by its name: a player, a run, a checkpoint, a model, a served model."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from agentgym_rl.agents.players import PLAYERS
from agentgym_rl.agents.settings import AgentSettings, ModelSettings, RolloutSettings
from agentgym_rl.config import ConfigError, load
from agentgym_rl.config.draft import Draft
from agentgym_rl.config.settings import Settings
from agentgym_rl.environments.settings import EnvironmentSettings, WorldSettings
from agentgym_rl.evaluation.settings import EvaluationSettings, evaluation_horizon
from agentgym_rl.records.run_folder import RunFolder

BUILT_IN_MODEL = "smollm2-135m-instruct"
S = TypeVar("S", bound=Settings)
_KINDS = "a run's folder, a checkpoint, a Hugging Face folder or hub id, openai:MODEL, or a player"


class ModelSubject(Settings):
    """The sections of a run that say how its model acts."""

    model: ModelSettings = ModelSettings()
    agent: AgentSettings = AgentSettings()
    rollout: RolloutSettings = RolloutSettings()


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """What a run evaluates itself on; used where nothing else is asked for."""

    worlds: Sequence[WorldSettings]
    horizon: int
    evaluation: EvaluationSettings


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom to evaluate."""

    kind: Literal["player", "shortcut", "local", "openai"]
    name: str
    """As given, or the folder of the checkpoint found."""
    settings: ModelSubject = field(default_factory=ModelSubject)
    """How a model acts; a player reads none of it."""
    run: RunDefaults | None = None
    step: int | None = None
    """The step after which the checkpoint was saved."""


def find_subject(what: str, overrides: Sequence[str] = ()) -> Subject:
    """The subject called ``what``. ``overrides`` replace settings of a model's ``model``, ``agent`` and ``rollout``.

    Raises :class:`ConfigError` for a name that is none of these, a run without a checkpoint, or an override that would
    do nothing.
    """
    if not what.strip():
        raise ConfigError(f"nothing to evaluate is named: give {_KINDS} ({', '.join(PLAYERS)})")
    if _is_player(what):
        if overrides:
            raise ConfigError(f"{overrides[0]} would do nothing: {what} is a player, it has no settings")
        return Subject("shortcut" if what == "shortcut" else "player", what)
    changes = load(None, overrides, ModelSubject).settings.model_dump(exclude_unset=True)
    _refuse_inert(changes, served=what.startswith("openai:"))
    if what.startswith("openai:"):
        return Subject("openai", what, _validated(changes, what))
    path = Path(what).expanduser()
    if (path / "config.yaml").exists():
        steps = RunFolder(path).checkpoint_steps()
        if not steps:
            raise ConfigError(f"{what}: this run has no checkpoint yet; evaluate {BUILT_IN_MODEL}, or wait for its first")
        return _checkpoint(path / "checkpoints" / str(steps[-1]), changes)
    if path.parent.name == "checkpoints" and (path.parent.parent / "config.yaml").exists() and path.is_dir():
        return _checkpoint(path, changes)
    if path.is_dir() or what == BUILT_IN_MODEL or _looks_like_hub_id(what):
        return Subject("local", what, _validated(_merged({"model": {"path": what}}, changes), what))
    if path.exists():
        raise ConfigError(f"{what} is a file: give {_KINDS}")
    names = [BUILT_IN_MODEL, *(name.rstrip("…:") for name in PLAYERS), *(str(one) for one in path.parent.glob("*"))]
    near = difflib.get_close_matches(what, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"nothing to evaluate is called {what!r}{hint} Give {_KINDS} ({', '.join(PLAYERS)})")


_READ = {
    "model": ("dtype",),
    "agent": tuple(AgentSettings.model_fields),
    "rollout": ("top_k", "top_p", "max_tokens", "retries", "max_fault_rate", "deterministic"),
}
_READ_SERVED = {
    "agent": ("format", "instructions", "action_space"),
    "rollout": ("top_k", "top_p", "max_tokens", "retries", "max_fault_rate"),
}
_INSTEAD = {"temperature": "use --temperature", "concurrency": "use --concurrency", "path": "name the model itself"}


def _refuse_inert(changes: Mapping[str, Any], *, served: bool) -> None:
    """Of what training reads of these sections an evaluation reads less; a served model less still."""
    read = _READ_SERVED if served else _READ
    for section, values in changes.items():
        for key in values:
            if key not in read.get(section, ()):
                instead = _INSTEAD.get(
                    key, "nothing reads it in " + ("a served model's evaluation" if served else "an evaluation")
                )
                raise ConfigError(f"{section}.{key} would do nothing: {instead}")


def _is_player(what: str) -> bool:
    kinds = {name.partition(":")[0] for name in PLAYERS}
    return what in (*PLAYERS, "shortcut") or (":" in what and what.partition(":")[0] in kinds)


def _looks_like_hub_id(what: str) -> bool:
    owner, slash, name = what.partition("/")
    return (
        bool(slash and owner and name) and "/" not in name and not owner.startswith((".", "~")) and not Path(owner).is_dir()
    )


def _checkpoint(path: Path, changes: Mapping[str, Any]) -> Subject:
    """A checkpoint acts and is evaluated as the run that made it says."""
    config = path.parent.parent / "config.yaml"
    tree = Draft.read(config, ()).tree
    for name, value in tree.items():
        if not isinstance(value, dict):
            raise ConfigError(f"{config}: {name} is a section with keys, not {value!r}")
    turns = tree.get("horizon", {}).get("turns")
    if not (isinstance(turns, list) and turns and all(isinstance(one, int) for one in turns)):
        raise ConfigError(f"{config}: horizon.turns should be a list of whole numbers, not {turns!r}: put a copy back")
    acting = {key: tree.get(key, {}) for key in ("agent", "rollout")}
    model = {"path": "", "dtype": "auto", **tree.get("model", {})}
    if model["path"] == "tiny" and model["dtype"] == "auto":
        model["dtype"] = "float32"  # what it was trained in; elsewhere auto means the same for a checkpoint
    acting["model"] = {**{key: model[key] for key in model if key != "tiny"}, "path": str(path)}
    worlds = _section(EnvironmentSettings, tree.get("environment", {}), str(config)).worlds
    evaluation = _section(EvaluationSettings, tree.get("evaluation", {}), str(config))
    defaults = RunDefaults(worlds, evaluation_horizon(evaluation, turns, worlds), evaluation)
    return Subject("local", str(path), _validated(_merged(acting, changes), str(config)), defaults, int(path.name))


def _validated(tree: Mapping[str, Any], source: str) -> ModelSubject:
    return _section(ModelSubject, tree, source)


def _section(kind: type[S], tree: Mapping[str, Any], source: str) -> S:
    try:
        return kind.model_validate_json(json.dumps(tree))
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{source}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _merged(tree: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(tree)
    for key, value in changes.items():
        merged[key] = _merged(merged.get(key) or {}, value) if isinstance(value, Mapping) else value
    return merged
