"""Checks of the contract that every world keeps; whoever writes one can run them on it.

    from agentgym_rl.environments.checks import check_world
    check_world("package.module:Class")

A check plays a few tasks of every split and raises :class:`ContractBroken` with what is wrong.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env

from agentgym_rl.environments.errors import ResetNeeded, UnknownTask
from agentgym_rl.environments.playing import (
    ODD_TEXTS,
    RANDOM_TURNS,
    Settings,
    digest_of,
    episode_digest,
    expert,
    play,
    random_player,
    sample,
)
from agentgym_rl.environments.protocol import Environment, Info, Observation
from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.task_set import SPLITS

_PRINT_DIGEST = """
import json, sys
from agentgym_rl.environments.playing import episode_digest
print(episode_digest(*json.loads(sys.argv[1])))
"""


class ContractBroken(AssertionError):
    """A world does not keep the contract; the message says where."""


def check_world(id: str, **settings: Any) -> None:
    """Runs every check on the world ``id``.

    Raises:
        ContractBroken: the first thing found wrong.
    """
    for check in CHECKS:
        check(id, settings)


def check_gymnasium(id: str, settings: Settings) -> None:
    """Gymnasium's own checker passes without a warning, and the spec makes an equal world."""
    with make(id, **settings) as world, warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(world)
        with world.spec.make() as again:
            _require(again.unwrapped.settings == world.settings, f"spec.make() gives {again.unwrapped.settings}")  # type: ignore[attr-defined]
            _require(world.spec.nondeterministic != world.deterministic, "spec.nondeterministic is wrong")


def check_tasks(id: str, settings: Settings) -> None:
    """Splits have tasks, know which they are, and share none, neither by id nor by content."""
    ids: set[str] = set()
    contents: set[str] = set()
    for split in SPLITS:
        found = tasks(id, split, **settings)
        _require(len(found) > 0, f"{split} has no task")
        _require(all(task.split == split for task in found), f"a task of {split} says it is of another split")
        _require(ids.isdisjoint(task.id for task in found), f"{split} shares a task id with another split")
        mine = {task.identity for task in found}
        _require(contents.isdisjoint(mine), f"{split} shares a task's content with another split")
        ids.update(task.id for task in found)
        contents |= mine


def check_misuse(id: str, settings: Settings) -> None:
    """Misuse raises what the contract says: no episode, no such task, not a string."""
    with make(id, **settings) as world:
        _raises(ResetNeeded, lambda: world.step("x"), "step before reset")
        _raises(UnknownTask, lambda: world.reset(options={"task": "no such task"}), "an unknown task id")
        _raises(ResetNeeded, lambda: world.step("x"), "step after a failed reset")
        world.reset(seed=0)
        _raises(TypeError, lambda: world.step(3), "an action that is a number")  # type: ignore[arg-type]
        world.close()
        world.close()
        _raises(ResetNeeded, lambda: world.step("x"), "step after close")


def check_odd_actions(id: str, settings: Settings) -> None:
    """Any string is an action: it is answered, in bounds, and earns nothing."""
    with make(id, **settings) as world:
        for task in sample(id, settings):
            observation, info = world.reset(seed=0, options={"task": task})
            _check_turn(world, observation, info)
            _require(info["understood"] is True, "understood must be True at reset")
            _require(info["score"] == 0.0 and info["success"] is False, f"{task.id}: stopping at once earns something")
            earned = 0.0
            for text in ODD_TEXTS:
                if not world.running:
                    break
                observation, reward, *_, info = world.step(text)
                _check_turn(world, observation, info)
                _require(len(_text(observation)) < 20_000, f"{task.id}: a long action makes a long observation")
                earned += reward
            _require(earned == 0.0 and not info["success"], f"{task.id}: meaningless actions earn {earned}")


def check_rewards(id: str, settings: Settings) -> None:
    """The rewards of an episode add up to its score, for the oracle and for a random player."""
    with make(id, **settings) as world:
        for task in sample(id, settings):
            for player in (expert, random_player(0)):
                earned = 0.0
                info: Mapping[str, Any] = {}
                for _, reward, _, info in play(world, task, player):  # noqa: B007 - the last one counts
                    earned += reward
                _require(abs(earned - info["score"]) < 1e-6, f"{task.id}: rewards add up to {earned}, score {info['score']}")


def check_expert(id: str, settings: Settings) -> None:
    """The oracle, where there is one, ends its episodes with success, by admissible actions."""
    with make(id, **settings) as world:
        for task in sample(id, settings):
            info: Mapping[str, Any] = {}
            for action, *_, info in play(world, task, expert):  # noqa: B007 - the last one counts
                if action is None:
                    return
            _require(info["success"] and not world.running, f"{task.id}: the oracle does not solve it")


def check_admissible(id: str, settings: Settings) -> None:
    """Each admissible action is understood in the state it is offered in; the oracle's is among them; no doubles."""
    with make(id, **settings) as world, make(id, **settings) as probe:
        for task in sample(id, settings):
            player = random_player(1)
            world.reset(seed=0, options={"task": task})
            history: list[str] = []
            while world.running and len(history) < RANDOM_TURNS:
                offered = world.admissible_actions()
                if offered is None:
                    return
                _require(bool(offered), f"{task.id}: nothing is admissible after {history}")
                _require(len(set(offered)) == len(offered), f"{task.id}: an action is offered twice after {history}")
                oracle = world.expert_action()
                _require(oracle is None or oracle in offered, f"{task.id}: the oracle's {oracle!r} is not offered")
                for action in offered if len(history) % 4 == 0 else offered[:1]:
                    probe.reset(seed=0, options={"task": task})
                    for earlier in history:
                        probe.step(earlier)
                    info = probe.step(action)[4]
                    _require(info["understood"], f"{task.id}: {action!r} is offered after {history} but not understood")
                history.append(player(world) or "")
                world.step(history[-1])


def check_repeatable(id: str, settings: Settings) -> None:
    """Same task, seed and actions, same episode: in this process, after others, and in one with another hash seed."""
    with make(id, **settings) as world:
        if not world.deterministic:
            return
        for task in sample(id, settings):
            first = [world.reset(seed=seed, options={"task": task})[0] for seed in (0, 1)]
            _require(digest_of(first[0]) == digest_of(first[1]), f"{task.id}: the first observation depends on the seed")
    here = episode_digest(id, settings)
    _require(here == episode_digest(id, settings), "a second run in this process differs")
    there = subprocess.run(
        [sys.executable, "-c", _PRINT_DIGEST, json.dumps([id, dict(settings)])],
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()[-1]
    _require(here == there, "a run in another process with another hash seed differs")


def check_wrappers(id: str, settings: Settings) -> None:
    """The members beyond gymnasium's are reached through wrappers, and a wrapped episode is the same one."""
    task = tasks(id, "train", **settings)[0]
    with make(id, **settings) as plain:
        wrapped = gymnasium.wrappers.TimeLimit(gymnasium.wrappers.OrderEnforcing(plain), 1)
        first = plain.reset(seed=0, options={"task": task})[0]
        again = wrapped.reset(seed=0, options={"task": task})[0]
        _require(digest_of(first) == digest_of(again), "a wrapped reset differs")
        for name in ("instructions", "action_schema", "shortcuts", "task", "settings"):
            wrapped.get_wrapper_attr(name)
        offered = wrapped.get_wrapper_attr("admissible_actions")()
        _, _, terminated, truncated, _ = wrapped.step(offered[0] if offered else "x")
        _require(terminated or truncated, "gymnasium's time limit has no effect")


CHECKS: tuple[Callable[[str, Settings], None], ...] = (
    check_gymnasium,
    check_tasks,
    check_misuse,
    check_odd_actions,
    check_rewards,
    check_expert,
    check_admissible,
    check_repeatable,
    check_wrappers,
)


def _check_turn(world: Environment, observation: Observation, info: Mapping[str, Any]) -> None:
    _require(observation in world.observation_space, "an observation is not in the observation space")
    missing = Info.__required_keys__ - info.keys()
    _require(not missing, f"info lacks {sorted(missing)}")
    _require(0.0 <= info["score"] <= 1.0, f"score {info['score']} is not in [0, 1]")
    _require(
        isinstance(info["success"], bool) and isinstance(info["understood"], bool), "success and understood are booleans"
    )


def _text(observation: Observation) -> str:
    return observation if isinstance(observation, str) else str(observation["text"])


def _raises(error: type[Exception], call: Callable[[], object], what: str) -> None:
    try:
        call()
    except error:
        return
    raise ContractBroken(f"{what} does not raise {error.__name__}")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ContractBroken(message)
