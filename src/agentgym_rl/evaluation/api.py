"""``agentgym_rl.evaluate``: what the command ``eval`` does, in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from agentgym_rl.agents.devices import check_device
from agentgym_rl.agents.players import player_named
from agentgym_rl.agents.rollout.actor import Actor
from agentgym_rl.agents.rollout.runner import Progress, RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.config import ConfigError, plain
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import TaskSet
from agentgym_rl.evaluation.baselines import best_shortcut, common_players
from agentgym_rl.evaluation.evaluate import Conditions, evaluate_actor, held_out
from agentgym_rl.evaluation.models import local_actor, served_actor
from agentgym_rl.evaluation.report import Report
from agentgym_rl.evaluation.store import EpisodeStore
from agentgym_rl.evaluation.subject import Subject, find_subject
from agentgym_rl.records.atomic import write_atomic

HORIZON = 30
"""Most turns where neither the call nor a run says: the longest published."""
EXTENDABLE = ("tasks", "categories", "samples")
"""What may differ when an evaluation goes on in a folder: the episodes there stay good."""


def evaluate(
    what: str | Path,
    environment: str | WorldSettings | Sequence[WorldSettings] | None = None,
    *,
    split: Literal["validation", "test"] | None = None,
    categories: Sequence[str] | None = None,
    tasks: int | None = None,
    samples: int | None = None,
    horizon: int | None = None,
    temperature: float | None = None,
    seed: int = 0,
    overrides: Sequence[str] = (),
    device: str = "auto",
    base_url: str | None = None,
    concurrency: int = 256,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Play held-out tasks and report success and score with intervals.

    Args:
        what: a run's folder (its last checkpoint), a checkpoint, a Hugging Face folder or hub id, ``openai:MODEL``,
            ``expert``, ``random``, ``shortcut`` (the world's best), ``shortcut:NAME``, ``null``, ``spam``, ``fixed:ACTION``.
        environment: an id, or one world's or several worlds' settings. Whatever is None is taken from the run that
            made the checkpoint; where there is none: 100 tasks of ``test``, one sample, 30 turns, temperature 1.
        categories: only these.
        tasks: so many a world at most, spread evenly over the split; 0: all.
        samples: episodes a task, for Avg@k and Pass@k.
        seed: with task and sample it makes each episode's seeds, so equal ones give paired evaluations.
        overrides: ``agent.format=react`` and the like: settings of ``model``, ``agent`` and ``rollout``.
        base_url: the server of an ``openai:MODEL``.
        concurrency: most episodes in flight.
        out: a folder for ``report.json`` and ``episodes.jsonl.zst``; an evaluation that was stopped goes on there.
        progress: called with the number of finished episodes and of all.

    Raises:
        ConfigError: nothing is called ``what``, or ``out`` holds an evaluation under other conditions.
        TooManyFaults: more episodes than ``rollout.max_fault_rate`` (of a player: its default) were lost, or all of them.
        ValueError: an unknown category or device; PanelOverlap among them: a held-out task is also trained on.
    """
    subject = find_subject(str(what), overrides)
    if base_url is not None and subject.kind != "openai":
        raise ConfigError(f"--base-url would do nothing: {what} is not openai:MODEL")
    if subject.kind == "local":
        check_device(device, "--device")
    run = subject.run
    defaults = run.evaluation if run else None
    conditions = Conditions(
        split=split or (defaults.split if defaults else "test"),
        horizon=horizon or (run.horizon if run else HORIZON),
        samples=samples or (defaults.samples if defaults else 1),
        temperature=temperature if temperature is not None else defaults.temperature if defaults else 1.0,
        seed=seed,
    )
    if tasks is None:
        tasks = defaults.tasks if defaults else 100
    worlds = [World(one) for one in _worlds(environment, subject)]
    if categories is None and environment is None and defaults:
        categories = defaults.categories
    panels = held_out(worlds, conditions.split, tasks or None, categories)
    with ExitStack() as stack:
        runner = stack.enter_context(
            RolloutRunner(worlds, concurrency=concurrency, retries=subject.settings.rollout.retries)
        )
        actor, name = stack.enter_context(_actor(subject, runner, panels, conditions, device, base_url))
        details = _details(subject)
        store = None if out is None else _open(Path(out), name, conditions, worlds, details)
        made = evaluate_actor(
            runner,
            actor,
            panels,
            conditions,
            name=name,
            step=subject.step,
            settings=details,
            store=store,
            progress=progress,
            max_fault_rate=subject.settings.rollout.max_fault_rate,
        )
    if out is not None:
        made.report.write(Path(out) / "report.json")
    return made.report


def _worlds(environment: str | WorldSettings | Sequence[WorldSettings] | None, subject: Subject) -> Sequence[WorldSettings]:
    if isinstance(environment, str):
        same = [one for one in subject.run.worlds if one.id == environment] if subject.run else []
        return same or [WorldSettings(id=environment)]
    if isinstance(environment, WorldSettings):
        return [environment]
    if environment is not None:
        return environment
    if subject.run is None:
        raise ConfigError(f"{subject.name} belongs to no run, so the environment must be said: --env textcraft")
    return subject.run.worlds


@contextmanager
def _actor(
    subject: Subject,
    runner: RolloutRunner,
    panels: Sequence[TaskSet],
    conditions: Conditions,
    device: str,
    base_url: str | None,
) -> Iterator[tuple[Actor, str]]:
    """Who plays, and the name of it."""
    temperature, seed = conditions.temperature, conditions.seed
    if subject.kind == "local":
        asked = subject.settings.rollout.deterministic
        deterministic = asked if asked is not None else all(world.in_process for world in runner.worlds)
        actor = local_actor(subject.settings, temperature=temperature, seed=seed, device=device, deterministic=deterministic)
        yield actor, subject.name
    elif subject.kind == "openai":
        model = subject.name.removeprefix("openai:")
        with served_actor(subject.settings, model, temperature=temperature, base_url=base_url) as served:
            yield served, subject.name
    else:
        name = subject.name
        if subject.kind == "shortcut":
            allowed = subject.settings.rollout.max_fault_rate
            name = best_shortcut(runner, panels, conditions, max_fault_rate=allowed)
        yield player_named(_playable(name, runner, panels), seed), name


def _playable(name: str, runner: RolloutRunner, panels: Sequence[TaskSet]) -> str:
    """``name``, unless it is a player that needs what the environment does not offer."""
    if name in ("random", "expert") or name.startswith("shortcut:"):
        known = common_players(runner.worlds, panels)
        if name not in known:
            raise ConfigError(f"there is no player {name!r} in this environment; it has: {', '.join(known) or 'none'}")
    return name


def _details(subject: Subject) -> dict[str, Any]:
    """What the report says of how a model acted."""
    if subject.kind not in ("local", "openai"):
        return {}
    sections = plain(subject.settings)
    return {**sections, "action_space": subject.settings.agent.action_space}


def _open(folder: Path, name: str, conditions: Conditions, worlds: Sequence[World], details: dict[str, Any]) -> EpisodeStore:
    """The store in ``folder``, if what it holds was played as this evaluation is."""
    said: dict[str, Any] = {"name": name, **asdict(conditions), **details}
    said["environments"] = [{"id": one.settings.id, "options": one.settings.options} for one in worlds]
    said = {key: value for key, value in said.items() if key not in EXTENDABLE}
    if "rollout" in said:
        said["rollout"] = {key: value for key, value in said["rollout"].items() if key != "max_fault_rate"}
    path = folder / "settings.json"
    if path.exists():
        held = _read_settings(path)
        for key in [*said, *held]:
            if said.get(key) != held.get(key):
                raise ConfigError(
                    f"{folder} holds an evaluation with {key} {json.dumps(held.get(key))}, not {json.dumps(said.get(key))}: "
                    "choose another --out"
                )
    else:
        write_atomic(path, json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    return EpisodeStore(folder)


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} can't be read ({error}): put a copy back, or choose another --out") from error
    if not isinstance(held, dict):
        raise ConfigError(f"{path} holds no settings of an evaluation: put a copy back, or choose another --out")
    return held
