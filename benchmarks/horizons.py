"""Horizon schedules (ScalingInter-RL) on a world whose held-out tasks need 12 turns, over several seeds.

    python benchmarks/horizons.py [--seeds 5] [--minutes 60] [--root runs/horizons] [--picture docs/assets/horizons.png]

All schedules get the same tasks, algorithm, batch and number of steps (corridor.yaml) and are evaluated with 16 turns.
Prints a table with the turns that training took, writes the numbers beside the picture as JSON, and draws the curves.
Finished runs are skipped, so the command may be stopped and given again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from study import draw, report, study, summarise

CONFIG = "corridor.yaml"
SCHEDULES: dict[str, list[str]] = {
    "fixed-short": ["horizon={schedule: fixed, turns: [4]}"],
    "fixed-long": ["horizon={schedule: fixed, turns: [16]}"],
    "stages": ["horizon={schedule: stages, turns: [4, 8, 16], every: 25}"],
    "adaptive": ["horizon={schedule: adaptive, turns: [4, 8, 16], window: 8}"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Horizon schedules over several seeds.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=60, help="begin no run after so long")
    parser.add_argument("--root", type=Path, default=Path("runs/horizons"), help="folder of the runs")
    parser.add_argument("--picture", type=Path, default=Path("docs/assets/horizons.png"))
    args = parser.parse_args()
    results = study(CONFIG, SCHEDULES, args.seeds, args.root, args.minutes)
    report(summarise(results), args.picture.with_suffix(".json"))
    draw(args.picture, results, 4, "Corridor: success on all lengths, under the horizon of the step")


if __name__ == "__main__":
    main()
