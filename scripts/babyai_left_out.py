"""Find the BabyAI layout seeds that no split uses, and write them to the package's ``left_out.json``.

A seed is left out if its layout (mission, grid, start) already is a task of the level or of another split, or if the
oracle can't do the mission: MiniGrid makes some that nobody can (a key locked in behind its own door; a strict level
whose target is walled in by things that must not be touched). Test tasks choose first, train tasks last.

    python scripts/babyai_left_out.py            # 2 minutes on one core; prints how many seeds went for which reason
    python scripts/babyai_left_out.py GoToDoor   # only prints, for some levels
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

from agentgym_rl.environments import babyai
from agentgym_rl.environments.babyai.levels import CATEGORY
from agentgym_rl.environments.babyai.simulation import Simulation
from agentgym_rl.environments.babyai.task_list import FIRST_SEED, PER_LEVEL, SEARCHED, task
from agentgym_rl.environments.task_set import Split

MOST_TURNS = 200
ORDER: tuple[Split, ...] = ("test", "validation", "train")


def solvable(level: str, seed: int, split: Split) -> bool:
    """Whether the oracle does the mission within MOST_TURNS turns."""
    world = babyai.BabyAI(levels=level)
    world.reset(options={"task": task(level, seed, split)})
    for _ in range(MOST_TURNS):
        _, _, terminated, truncated, info = world.step(world.expert_action())
        if terminated or truncated:
            return bool(info["success"])
    return False


def main(levels: list[str]) -> dict[str, list[int]]:
    """The seeds left out by level."""
    left_out: dict[str, list[int]] = defaultdict(list)
    taken: dict[str, tuple[Split, set[str]]] = {}
    for split in ORDER:
        for level in levels:
            found, reasons = 0, Counter[str]()
            for seed in range(FIRST_SEED[split], FIRST_SEED[split] + SEARCHED):
                if found == PER_LEVEL[split]:
                    break
                layout = Simulation(level, seed).layout_key()
                owner, sharing = taken.get(layout, (split, set()))
                if owner != split or level in sharing:
                    reasons["the layout of another task"] += 1
                elif not solvable(level, seed, split):
                    reasons["not solved by the oracle"] += 1
                else:
                    taken[layout] = (split, sharing | {level})
                    found += 1
                    continue
                left_out[level].append(seed)
            if reasons or found < PER_LEVEL[split]:
                print(split, level, f"{found} tasks; left out:", dict(reasons), flush=True)
    return left_out


if __name__ == "__main__":
    result = main(sys.argv[1:] or list(CATEGORY))
    if len(sys.argv) == 1:
        lines = ",\n".join(f'"{level}": {json.dumps(sorted(result[level]))}' for level in CATEGORY if result[level])
        Path(str(babyai.__file__)).with_name("left_out.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
