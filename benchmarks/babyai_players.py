"""How well players without a model do on BabyAI's test tasks, and how fast the world is: the tables of its docs page.

python benchmarks/babyai_players.py [LEVEL ...]     # two minutes on one core for the benchmark's 18 levels
"""

from __future__ import annotations

import sys
import time

import numpy as np

import agentgym_rl
from agentgym_rl.environments.babyai import BabyAI
from agentgym_rl.environments.task_set import Task, TaskSet

HORIZONS = (4, 6, 8, 20)
EXPERT_TURNS = 100
DRAWS = 10
"""Episodes a task of the players that play by chance."""


def turns_to_success(world: BabyAI, task: Task, player: str, seed: int, most: int) -> int | None:
    """Turns the player needs; None: no success within ``most``."""
    random = np.random.default_rng(seed)
    world.reset(options={"task": task})
    for turn in range(1, most + 1):
        if player == "expert":
            action = world.expert_action()
        elif player == "random":
            action = str(random.choice(world.admissible_actions()))
        else:
            action = world.shortcuts()[player](random)
        *_, terminated, truncated, info = world.step(action)
        if terminated or truncated:
            return turn if info["success"] else None
    return None


def report(world: BabyAI, name: str, tasks: list[Task]) -> None:
    """Print a level's (or category's) row."""
    turns = [turns_to_success(world, task, "expert", 0, EXPERT_TURNS) for task in tasks]
    solved = [turn for turn in turns if turn is not None]
    cells = [f"{len(solved)}/{len(tasks)}", f"{np.mean(solved):.1f} ({max(solved)})"]
    for player in ("random", "visit", "collect"):
        ends = [turns_to_success(world, task, player, seed, HORIZONS[-1]) for task in tasks for seed in range(DRAWS)]
        cells.append(" / ".join(f"{np.mean([end is not None and end <= most for end in ends]):.2f}" for most in HORIZONS))
    cells.append(" / ".join(f"{np.mean([turn is not None and turn <= most for turn in turns]):.2f}" for most in HORIZONS))
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def speed(world: BabyAI, tasks: TaskSet) -> float:
    """Turns a second with the oracle and the admissible actions, resets included."""
    turns, start = 0, time.process_time()
    for task in tasks:
        world.reset(options={"task": task})
        while world.running:
            world.admissible_actions()
            world.step(world.expert_action())
            turns += 1
    return turns / (time.process_time() - start)


def main(levels: list[str]) -> None:
    world = BabyAI(levels=levels or None)
    tasks = agentgym_rl.tasks("babyai", "test", levels=levels or None)
    print(f"{speed(world, tasks):.0f} turns/s on one core\n")
    print(f"| level | oracle | turns, mean (max) | random {HORIZONS} | visit | collect | oracle |")
    print("|---|---|---|---|---|---|---|")
    for level in dict.fromkeys(str(task.data["level"]) for task in tasks):
        report(world, level, [task for task in tasks if task.data["level"] == level])
    for category in tasks.categories:
        report(world, f"**{category}**", list(tasks.filter(category)))


if __name__ == "__main__":
    main(sys.argv[1:])
