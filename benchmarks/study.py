"""Several settings over several seeds: finished runs are kept and skipped, stopped ones resumed; summaries as rliable's.

Interquartile means and stratified bootstrap intervals: Agarwal et al. 2021, https://arxiv.org/abs/2108.13264.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agentgym_rl
from agentgym_rl.config import ConfigError, difference, load
from agentgym_rl.records.atomic import write_atomic
from agentgym_rl.records.metrics import MetricsFile
from agentgym_rl.training.settings import TrainSettings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # where environment.id finds the package ``worlds``
Scores = NDArray[np.float64]
Run = tuple[str, int, TrainSettings]
"""Arm, seed, and settings."""
TRAINING, HELD_OUT = "success/mean", "eval/success"
"""Success in training under the horizon of the step, and on held-out tasks (with ``evaluation.every``)."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished run."""

    before: float
    """Success on the held-out tasks before training."""
    after: float
    seconds: float
    metrics: Sequence[Mapping[str, Any]]
    """The lines of ``metrics.jsonl``."""

    episodes: int
    """Episodes a step."""

    def curve(self, metric: str = TRAINING) -> tuple[list[int], list[float]]:
        """Steps at which the metric was taken, and its values. :data:`HELD_OUT` begins at step 0, before training."""
        taken = [(int(line["step"]), float(line[metric])) for line in self.metrics if metric in line]
        taken = [(0, self.before), *taken] if metric == HELD_OUT else taken
        return [step for step, _ in taken], [value for _, value in taken]

    def success(self, metric: str) -> tuple[list[int], Scores]:
        """The curve to judge by: success in training is averaged over five steps, held-out success as it is."""
        steps, values = self.curve(metric)
        return steps, smooth(values) if metric == TRAINING else np.array(values)

    def steps_to(self, success: float, metric: str = TRAINING) -> int | None:
        """The first step at which :meth:`success` is so high; None if it never is."""
        steps, values = self.success(metric)
        reached = np.flatnonzero(values >= success)
        return steps[int(reached[0])] if len(reached) else None

    def turns_to(self, step: int | None = None) -> float:
        """Turns of training up to a step (None: all); those of replaced groups and of greedy baselines are left out."""
        return self.episodes * sum(self.curve("turns/mean")[1][:step])


def options(description: str, root: Path, picture: Path) -> argparse.ArgumentParser:
    """What every study can be told on the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, one thread each")
    parser.add_argument("--minutes", type=float, default=60, help="begin no run after so long")
    parser.add_argument("--root", type=Path, default=root, help="folder of the runs")
    parser.add_argument("--picture", type=Path, default=picture, help="where the comparison is drawn")
    return parser


def settings_of(config: str, overrides: Sequence[str], name: str, seed: int, root: Path) -> TrainSettings:
    """The settings of one run of ``config`` (a file beside this one)."""
    run = [f"run.name={name}-{seed}", f"run.seed={seed}", f"run.root={root}"]
    return load(HERE / config, [*overrides, *run], TrainSettings).settings


def run(settings: TrainSettings) -> Result:
    """Make the run, or what is missing of it.

    Raises:
        ConfigError: the run was made with other settings.
    """
    folder = Path(settings.run.root) / settings.run.name
    if not (folder / "summary.json").exists():
        agentgym_rl.train(settings, resume=(folder / "config.yaml").exists())
    else:
        _refuse_other_settings(folder, settings)
    summary = json.loads((folder / "summary.json").read_text())
    metrics = MetricsFile(folder / "metrics.jsonl").read()
    episodes = settings.batch.groups * settings.batch.group_size
    return Result(summary["before"]["success"], summary["after"]["success"], summary["seconds"], metrics, episodes)


def _refuse_other_settings(folder: Path, settings: TrainSettings) -> None:
    made = load(folder / "config.yaml", [], TrainSettings).settings
    changes = [change for change in difference(made, settings) if not change.key.startswith("run.root")]
    if changes:
        said = "; ".join(map(str, changes[:4]))
        raise ConfigError(f"{folder} was made with other settings: {said}. Delete it, or choose another --root")


def study(
    config: str, arms: Mapping[str, Sequence[str]], seeds: int, root: Path, minutes: float, jobs: int = 1
) -> dict[str, dict[int, Result]]:
    """The runs of all arms (name → overrides), a seed after the other, as many as begin within ``minutes``.

    ``jobs`` of them go on at a time, each in a process of its own; of a stopped study every run is saved and goes on
    when the same study is made again.
    """
    results: dict[str, dict[int, Result]] = {name: {} for name in arms}
    due = _begin_within(minutes, [(name, seed) for seed in range(seeds) for name in arms])
    wanted = ((name, seed, settings_of(config, arms[name], name, seed, root)) for name, seed in due)
    with _says_how_to_go_on():
        for name, seed, result in _one_by_one(wanted) if jobs == 1 else _side_by_side(wanted, jobs):
            results[name][seed] = result
            print(f"{name:14s} seed {seed}: {result.before:.3f} -> {result.after:.3f} in {result.seconds:.0f} s", flush=True)
    return {name: dict(sorted(runs.items())) for name, runs in results.items()}


def _begin_within(minutes: float, wanted: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    end = time.monotonic() + 60 * minutes
    for one in wanted:
        if time.monotonic() > end:
            print(f"{minutes:g} minutes are over: the same command goes on from here")
            return
        yield one


@contextmanager
def _says_how_to_go_on() -> Iterator[None]:
    """Ctrl-C and SIGTERM end the study with a line; the runs save themselves."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit("stopped: the same command goes on from here") from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _one_by_one(wanted: Iterator[Run]) -> Iterator[tuple[str, int, Result]]:
    for name, seed, settings in wanted:
        yield name, seed, run(settings)


def _side_by_side(wanted: Iterator[Run], jobs: int) -> Iterator[tuple[str, int, Result]]:
    """Results as they come. No run waits inside the pool, so a stopped study leaves only begun runs to be saved."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        going: dict[Future[Result], tuple[str, int]] = {}
        while True:
            for name, seed, settings in islice(wanted, jobs - len(going)):
                going[pool.submit(run, settings)] = name, seed
            if not going:
                return
            for future in wait(going, return_when=FIRST_COMPLETED).done:
                yield *going.pop(future), future.result()


def iqm(scores: Scores) -> Any:
    """The mean of the middle half of ``scores [..., runs, worlds]``; a quarter of the numbers (rounded down) is cut at each end."""
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = flat.shape[-1] // 4
    return flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)


def iqm_interval(scores: Scores, resamples: int = 5000, seed: int = 0) -> tuple[float, float]:
    """The 95 % stratified bootstrap interval of :func:`iqm`: the runs of each world are resampled by themselves."""
    runs, worlds = scores.shape
    chosen = np.random.default_rng(seed).integers(runs, size=(resamples, runs, worlds))
    low, high = np.quantile(iqm(scores[chosen, np.arange(worlds)]), (0.025, 0.975))
    return float(low), float(high)


def summarise(results: Mapping[str, Mapping[int, Result]], metric: str = TRAINING) -> dict[str, dict[str, Any]]:
    """For each arm with a finished run: IQM and interval (null of a single run) of held-out success, and the single numbers.

    ``steps``, ``turns_to``: mean number of steps and of turns until success (:meth:`Result.success` of ``metric``) is 0.9;
    null if a run never gets there.
    """
    rows: dict[str, dict[str, Any]] = {}
    for name, runs in results.items():
        if runs:
            after = np.array([[result.after] for result in runs.values()])
            low, high = iqm_interval(after) if len(runs) > 1 else (None, None)
            steps = [result.steps_to(0.9, metric) for result in runs.values()]
            turns = [result.turns_to(step) for result, step in zip(runs.values(), steps, strict=True)]
            rows[name] = {
                "iqm": float(iqm(after)),
                "low": low,
                "high": high,
                "after": after[:, 0].tolist(),
                "before": [result.before for result in runs.values()],
                "steps": None if None in steps else float(np.mean(np.array(steps, dtype=np.float64))),
                "turns_to": None if None in steps else float(np.mean(turns)),
                "turns": float(np.mean([result.turns_to() for result in runs.values()])),
                "seconds": float(np.mean([result.seconds for result in runs.values()])),
            }
    return rows


def report(rows: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Print the table (Markdown) and write the numbers behind it to ``path`` (JSON)."""
    print(
        "\n| | held-out success, IQM | 95 % interval | lowest | steps to 0.9 | turns to 0.9 | turns of training "
        "| seconds a run | runs |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        interval = "–" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        steps, turns = ("–" if row[key] is None else f"{row[key]:,.0f}" for key in ("steps", "turns_to"))
        print(
            f"| `{name}` | {row['iqm']:.3f} | {interval} | {min(row['after']):.3f} | {steps} | {turns} | {row['turns']:,.0f} "
            f"| {row['seconds']:.0f} | {len(row['after'])} |"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(rows, indent=1) + "\n")


def draw_one(path: Path, name: str, runs: Mapping[int, Result]) -> None:
    """The learning curve of one arm: training success a step for each seed (thin), and their mean."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    curves = np.array([one.success(TRAINING)[1] for one in runs.values()])
    steps = np.arange(1, curves.shape[1] + 1)
    figure = Figure(figsize=(4.2, 2.6), dpi=110, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panel = figure.subplots()
    for curve in curves:
        panel.plot(steps, curve, color="#3572b0", alpha=0.35, linewidth=0.8)
    panel.plot(steps, curves.mean(axis=0), color="#3572b0", linewidth=2)
    panel.set(ylim=(0, 1.02), xlabel="step", ylabel="success in training")
    runs_shown = f"{len(curves)} seeds and their mean" if len(curves) > 1 else "1 seed"
    panel.set_title(f"{name}: {runs_shown}, 5 steps averaged", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.xaxis.label.set_fontsize(8)
    panel.yaxis.label.set_fontsize(8)
    panel.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def draw(path: Path, results: Mapping[str, Mapping[int, Result]], columns: int, title: str, metric: str = TRAINING) -> None:
    """A panel an arm: success (of ``metric``) a step, IQM over seeds and its interval; the other arms in grey behind it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    done = {name: list(runs.values()) for name, runs in results.items() if runs}
    curves = {name: np.array([one.success(metric)[1] for one in runs]) for name, runs in done.items()}
    steps = {name: runs[0].success(metric)[0] for name, runs in done.items()}
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(2.6 * columns, 1.9 * rows + 0.6), dpi=150, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    centre = {name: iqm(curve.T[:, :, None]) for name, curve in curves.items()}
    for panel, name in zip(panels.flat, curves, strict=False):
        curve = curves[name]
        for other in centre:
            panel.plot(steps[other], centre[other], color="#d5d9dd", linewidth=0.7)
        band = np.array([iqm_interval(column[:, None], resamples=1000) for column in curve.T])
        panel.fill_between(steps[name], band[:, 0], band[:, 1], color="#3572b0", alpha=0.25, linewidth=0)
        panel.plot(steps[name], centre[name], color="#3572b0", linewidth=1.6)
        panel.set_title(f"{name}  ({len(curve)} seed{'s' * (len(curve) > 1)})", fontsize=9)
        panel.set_ylim(0, 1.02)
        panel.tick_params(labelsize=7)
        panel.spines[["top", "right"]].set_visible(False)
    for panel in panels.flat[len(curves) :]:
        panel.set_axis_off()
    figure.suptitle(title, fontsize=10)
    figure.supxlabel("step", fontsize=9)
    figure.supylabel("success in training" if metric == TRAINING else "held-out success", fontsize=9)
    figure.savefig(path)


def smooth(values: Sequence[float], window: int = 5) -> Scores:
    """The running mean over the last ``window`` values."""
    return np.array([np.mean(values[max(0, at + 1 - window) : at + 1]) for at in range(len(values))])
