"""A recipe over several seeds, each in a process of its own: success on held-out tasks before and after, time, memory.

    python benchmarks/recipes.py [configs/quickstart.yaml ...] [--seeds 3] [--root runs/recipes]

Without arguments the two quickstarts. Finished runs are read, stopped ones resumed, so the command may be stopped and given
again. A run takes all cores: nothing else should run beside it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CONFIGS = Path(__file__).parents[1] / "configs"
RECIPES = [CONFIGS / "quickstart.yaml", CONFIGS / "babyai-quickstart.yaml"]
HEADER = (
    "| recipe, seed | before | after | paired difference | players | free: before, after | training | peak |\n"
    "|---|---|---|---|---|---|---|---|"
)


def finish(config: Path, seed: int, root: Path) -> Path:
    """The folder of the finished run of a recipe with a seed."""
    folder = root / f"{config.stem}-{seed}"
    if not (folder / "summary.json").exists():
        started = ["--resume"] if (folder / "checkpoints").exists() else []
        overrides = [f"run.name={folder.name}", f"run.root={root}", f"run.seed={seed}"]
        command = [sys.executable, "-m", "agentgym_rl.cli", "train", str(config), *overrides, *started]
        subprocess.run(command, check=True)
    return folder


def row(config: Path, seed: int, folder: Path) -> str:
    """A line of the table; the players are random, best shortcut and expert."""
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    minutes = sum(json.loads(line)["time/step"] for line in lines) / 60
    difference, free, players = summary["difference"], summary["free"], summary["players"]
    shares = [f"{share:.2f}" for share in players.values()]
    cells = [
        f"`{config.name}`, {seed}",
        f"{summary['before']['success']:.2f}",
        f"{summary['after']['success']:.2f}",
        f"{difference['mean']:+.2f} [{difference['low']:+.2f}, {difference['high']:+.2f}]",
        ", ".join(shares) or "–",
        f"{free['before']:.2f}, {free['after']:.2f}" if free else "–",
        f"{len(lines)} steps, {minutes:.1f} min",
        f"{summary['peak_memory_bytes'] / 2**30:.1f} GiB",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="A recipe over several seeds.")
    parser.add_argument("configs", nargs="*", type=Path, default=RECIPES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--root", type=Path, default=Path("runs/recipes"))
    args = parser.parse_args()
    rows = [row(config, seed, finish(config, seed, args.root)) for config in args.configs for seed in range(args.seeds)]
    print("\n".join([HEADER, *rows]))


if __name__ == "__main__":
    main()
