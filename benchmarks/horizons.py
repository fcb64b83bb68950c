"""Horizon schedules (ScalingInter-RL) on a world whose held-out tasks need 12 turns, over several seeds.

    python benchmarks/horizons.py [--seeds 5] [--jobs 1] [--minutes 60] [--root runs/horizons]
                                  [--picture docs/assets/horizons.png]

All schedules get the same tasks, algorithm, batch and number of steps (corridor.yaml) and are evaluated with 16 turns,
every ten steps, on tasks that were never trained on. Success in training is no measure here: it depends on the horizon.
Prints a table (Markdown) with the turns that training took, writes the numbers beside the picture as JSON, and draws the curves.
Finished runs are skipped and stopped ones resumed, so the command may be stopped and given again.
"""

from __future__ import annotations

from pathlib import Path

from study import HELD_OUT, draw, options, report, study, summarise

CONFIG = "corridor.yaml"
SCHEDULES: dict[str, list[str]] = {
    "fixed-short": ["horizon={schedule: fixed, turns: [4]}"],
    "fixed-long": ["horizon={schedule: fixed, turns: [16]}"],
    "stages": ["horizon={schedule: stages, turns: [4, 8, 16], every: 25}"],
    "adaptive": ["horizon={schedule: adaptive, turns: [4, 8, 16], window: 8}"],
}


def main() -> None:
    parser = options("Horizon schedules over several seeds.", Path("runs/horizons"), Path("docs/assets/horizons.png"))
    args = parser.parse_args()
    results = study(CONFIG, SCHEDULES, args.seeds, args.root, args.minutes, args.jobs)
    report(summarise(results, HELD_OUT), args.picture.with_suffix(".json"))
    draw(args.picture, results, 4, "Corridor, 12 rooms, 16 turns: IQM over seeds with 95 % bootstrap interval", HELD_OUT)


if __name__ == "__main__":
    main()
