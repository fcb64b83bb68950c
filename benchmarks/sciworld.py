"""SciWorld's figures: turns a second, memory of its Java process, growth, start-up.

python benchmarks/sciworld.py [--turns 1000] [--episodes 1000]     # ten minutes on one idle core
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

from agentgym_rl.environments.sciworld import SciWorld, java
from agentgym_rl.environments.task_set import Task

MIB = 2**20
ENVIRONMENTS = 16
SCRIPT = (
    "look around",
    "open door to hallway",
    "go to hallway",
    "open door to kitchen",
    "go to kitchen",
    "inventory",
    "wait1",
)
"""What is drawn from where the admissible actions are not asked for."""


def memory(pid: int) -> float:
    """Resident memory of a process, MiB (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 / MIB for line in lines if line.startswith("VmRSS"))


def java_memory() -> float:
    """Of the Java process that all environments share, MiB."""
    assert java._Shared.java is not None
    return memory(java._Shared.java.process.pid)


def cpu_seconds() -> float:
    """That this process and Java have used: on a busy machine, turns a CPU second say what an idle core would do (Linux)."""
    assert java._Shared.java is not None
    fields = Path(f"/proc/{java._Shared.java.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate(world: SciWorld, tasks: list[Task], turns: int, *, admissible: bool) -> tuple[float, float, float]:
    """Turns a second and a CPU second without resets, episodes of 20 turns; and the milliseconds of a reset."""
    random = np.random.default_rng(0)
    taken, playing, computing, resetting, resets = 0, 0.0, 0.0, 0.0, 0
    while taken < turns:
        task = tasks[resets * 37 % len(tasks)]
        start = time.perf_counter()
        world.reset(options={"task": task})
        begun = time.perf_counter()
        resetting, resets = resetting + begun - start, resets + 1
        used = cpu_seconds()
        taken += play_on(world, random, 20, admissible=admissible)
        computing += cpu_seconds() - used
        playing += time.perf_counter() - begun
    return taken / playing, taken / computing, 1000 * resetting / resets


def play_on(world: SciWorld, random: np.random.Generator, most: int, *, admissible: bool) -> int:
    """Turns taken from where the episode is."""
    turns = 0
    while world.running and turns < most:
        actions = (
            [action for action in world.admissible_actions() if not action.startswith("focus")] if admissible else SCRIPT
        )
        world.step(actions[int(random.integers(len(actions)))])
        turns += 1
    return turns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1000, help="measured for each rate (default: 1000)")
    parser.add_argument("--episodes", type=int, default=1000, help="played to see whether memory grows (default: 1000)")
    options = parser.parse_args()
    tasks = list(SciWorld.tasks("train"))
    random = np.random.default_rng(1)

    start = time.perf_counter()
    world = SciWorld()
    world.reset(options={"task": tasks[0]})
    print(f"start-up, first observation included: {time.perf_counter() - start:.1f} s", flush=True)
    rate(world, tasks, 300, admissible=True)  # Java gets fast while it runs
    for admissible in (False, True):
        turns, of_cpu, reset = rate(world, tasks, options.turns, admissible=admissible)
        what = f"{'with' if admissible else 'without'} admissible actions"
        print(f"{what}: {turns:.0f} turns/s, {of_cpu:.0f} a CPU second; a reset {reset:.0f} ms", flush=True)

    worlds = [SciWorld() for _ in range(ENVIRONMENTS)]
    for number, other in enumerate(worlds):
        other.reset(options={"task": tasks[number * 131 % len(tasks)]})
    for _ in range(20):
        for other in worlds:
            if other.running:
                play_on(other, random, 1, admissible=True)
    print(f"{ENVIRONMENTS} environments and one more: {java_memory():.0f} MiB of Java", flush=True)
    for other in worlds:
        other.close()

    tenth = max(1, options.episodes // 10)
    for number in range(options.episodes):
        world.reset(options={"task": tasks[number * 37 % len(tasks)]})
        play_on(world, random, 10, admissible=number % 2 == 0)
        if (number + 1) % tenth == 0:
            print(f"{number + 1} episodes: {java_memory():.0f} MiB of Java, {memory(os.getpid()):.0f} of Python", flush=True)
    world.close()


if __name__ == "__main__":
    main()
