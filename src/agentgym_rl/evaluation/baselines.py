"""The players shown beside every result: random, the world's best shortcut, the expert; on the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym_rl.agents.players import player_named
from agentgym_rl.agents.rollout.runner import RolloutRunner
from agentgym_rl.agents.rollout.worlds import World
from agentgym_rl.config import ConfigError
from agentgym_rl.environments.task_set import TaskSet
from agentgym_rl.evaluation.evaluate import Conditions, Evaluation, evaluate_actor


def players_of(world: World, panel: TaskSet) -> list[str]:
    """The players that can play ``world``: ``random`` where it lists its actions, each ``shortcut:NAME``, ``expert``.

    A world is asked in the first state of the panel's first task.
    """
    environment = world.make()
    try:
        environment.reset(seed=0, options={"task": panel[0]})
        return [
            *(["random"] if environment.admissible_actions() is not None else []),
            *(f"shortcut:{name}" for name in environment.shortcuts()),
            *(["expert"] if environment.expert_action() is not None else []),
        ]
    finally:
        environment.close()


def common_players(worlds: Sequence[World], panels: Sequence[TaskSet]) -> list[str]:
    """The players that every world with a task has."""
    offered = [players_of(world, panel) for world, panel in zip(worlds, panels, strict=True) if len(panel)]
    return [name for name in offered[0] if all(name in others for others in offered)]


def evaluate_players(
    runner: RolloutRunner, panels: Sequence[TaskSet], conditions: Conditions, *, max_fault_rate: float = 1.0
) -> dict[str, Evaluation]:
    """Evaluate ``random``, the best shortcut under its name, and ``expert``, as far as all worlds have them.

    Of several shortcuts the best by success on these very tasks is kept: a choice in the shortcut's favour. Raises
    TooManyFaults as :func:`~agentgym_rl.evaluation.evaluate.evaluate_actor` does.
    """
    names = common_players(runner.worlds, panels)
    found = {name: evaluate_player(runner, name, panels, conditions, max_fault_rate=max_fault_rate) for name in names}
    shortcuts = _shortcuts(names)
    best = _best({name: found[name] for name in shortcuts}) if shortcuts else None
    return {name: one for name, one in found.items() if name not in shortcuts or name == best}


def best_shortcut(
    runner: RolloutRunner, panels: Sequence[TaskSet], conditions: Conditions, *, max_fault_rate: float = 1.0
) -> str:
    """The name of the best shortcut on these tasks. Raises :class:`ConfigError` where there is none."""
    names = _shortcuts(common_players(runner.worlds, panels))
    if not names:
        raise ConfigError(f"{', '.join(world.settings.id for world in runner.worlds)}: there is no shortcut player here")
    if len(names) == 1:
        return names[0]
    return _best({name: evaluate_player(runner, name, panels, conditions, max_fault_rate=max_fault_rate) for name in names})


def _shortcuts(names: Sequence[str]) -> list[str]:
    return [name for name in names if name.startswith("shortcut:")]


def _best(shortcuts: Mapping[str, Evaluation]) -> str:
    return max(shortcuts, key=lambda name: shortcuts[name].report.success)


def evaluate_player(
    runner: RolloutRunner, name: str, panels: Sequence[TaskSet], conditions: Conditions, *, max_fault_rate: float = 1.0
) -> Evaluation:
    """Evaluate the player called ``name`` (see :func:`~agentgym_rl.agents.players.names.player_named`)."""
    player = player_named(name, conditions.seed)
    return evaluate_actor(runner, player, panels, conditions, name=name, max_fault_rate=max_fault_rate)
