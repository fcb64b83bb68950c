"""All algorithms on a small world, a tiny model each, over several seeds.

    python benchmarks/algorithms.py [--seeds 5] [--jobs 1] [--minutes 60] [--only NAME ...] [--root runs/algorithms]
                                    [--picture docs/assets/algorithms.png]

The settings are those of signs.yaml and each preset's own; what differs besides is in ``ALGORITHMS`` below: nothing was
tuned for one algorithm. The world is easy on purpose: it tells whether an algorithm learns from several turns, not which
is best at large.

Prints a table, writes the numbers beside the picture as JSON, and draws the curves: all in one picture, and one for the
page of each algorithm in the folder of the same name (docs/assets/algorithms/NAME.png). Finished runs are skipped and
stopped ones resumed, so the command may be stopped and given again.
"""

from __future__ import annotations

from pathlib import Path

from study import draw, draw_one, options, report, study, summarise

CONFIG = "signs.yaml"
PICTURE = Path("docs/assets/algorithms.png")
_SUM = "algorithm.loss.fixed_length=3"  # the sampled tokens of an episode
_CRITIC = "algorithm.critic={learning_rate: 1e-2, warmup_steps: 2}"  # from scratch, so faster than beside a trained model
ALGORITHMS: dict[str, list[str]] = {
    name: [f"algorithm.name={name}", *overrides]
    for name, overrides in {
        "ppo": [_CRITIC],
        "turn_ppo": [_CRITIC],
        "grpo": [],
        "dr_grpo": [_SUM],
        "dapo": ["algorithm.dynamic_sampling={max_redraws: 1}"],  # near the end most groups have no variance
        "gspo": [],
        "cispo": [],
        "rloo": [_SUM],
        "reinforce": [_SUM],
        "reinforce_pp": [],
        "remax": [_SUM],
        "gigpo": [],
    }.items()
}


def main() -> None:
    parser = options("All algorithms on a small world over several seeds.", Path("runs/algorithms"), PICTURE)
    parser.add_argument("--only", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS), metavar="NAME")
    args = parser.parse_args()
    arms = {name: ALGORITHMS[name] for name in args.only}
    results = study(CONFIG, arms, args.seeds, args.root, args.minutes, args.jobs)
    report(summarise(results), args.picture.with_suffix(".json"))
    draw(args.picture, results, 4, "Signs: IQM over seeds with 95 % bootstrap interval, mean of 5 steps")
    for name, runs in results.items():
        if runs:
            draw_one(args.picture.with_suffix("") / f"{name}.png", name, runs)


if __name__ == "__main__":
    main()
