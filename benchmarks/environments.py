"""Turns a second of each registered world, played by its oracle on one core.

    python benchmarks/environments.py [--seconds 5] [--split test] [world ...]

A turn is what a rollout asks of a world: the admissible actions, the oracle's action and the step. Resets are part of
the time. Each task is played once before the clock starts, so that what a world prepares once a task is left out; the
column "first" has the rate of that first round.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from agentgym_rl.environments.errors import MissingExtra
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.registry import make, registered, tasks
from agentgym_rl.environments.task_set import Task

MOST_TURNS = 200
MOST_TASKS = 200


def play(world: Environment, task: Task) -> tuple[int, bool]:
    """One episode of the oracle: its turns and whether it ended in success."""
    _, info = world.reset(seed=0, options={"task": task})
    turns = 0
    while world.running and turns < MOST_TURNS:
        world.admissible_actions()
        action = world.expert_action()
        if action is None:
            break
        *_, info = world.step(action)
        turns += 1
    return turns, info["success"]


def measure(world: Environment, chosen: Iterable[Task], seconds: float) -> tuple[int, int, int, float]:
    """Episodes, successes, turns and the time they took; ends after the episode in which ``seconds`` are over."""
    episodes = successes = turns = 0
    start = time.perf_counter()
    for task in chosen:
        taken, success = play(world, task)
        episodes, successes, turns = episodes + 1, successes + success, turns + taken
        if time.perf_counter() - start > seconds:
            break
    return episodes, successes, turns, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="*", help="ids; default: all that are registered and installed")
    parser.add_argument("--seconds", type=float, default=5.0, help="measured a world (default: 5)")
    parser.add_argument("--split", default="test", help="train, validation or test (default: test)")
    options = parser.parse_args()
    table = Table(
        "world", "turns/s", "first", "episodes", "success", "turns an episode", title="Worlds and their oracles, one core"
    )
    for id in options.worlds or registered():
        try:
            world, found = make(id), tasks(id, options.split)
        except MissingExtra as error:
            Console(stderr=True).print(str(error))
            continue
        chosen = found[:: -(-len(found) // MOST_TASKS)]
        _, _, first_turns, first_time = measure(world, chosen, options.seconds)
        rounds = (task for _ in iter(int, 1) for task in chosen)
        episodes, successes, turns, taken = measure(world, rounds, options.seconds)
        world.close()
        table.add_row(
            id,
            f"{turns / taken:,.0f}",
            f"{first_turns / first_time:,.0f}",
            str(episodes),
            f"{successes / episodes:.3f}",
            f"{turns / episodes:.1f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
