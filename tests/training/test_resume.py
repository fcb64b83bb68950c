"""A run that is stopped at any moment and resumed is the run that was not stopped (invariant 7)."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import agentgym_rl
from agentgym_rl.config import ConfigError
from agentgym_rl.records.errors import RecordError, RunExists
from agentgym_rl.records.metrics import MetricsFile
from agentgym_rl.records.run_folder import RunFolder
from agentgym_rl.training import trainer as trainer_module
from agentgym_rl.training.evaluations import Evaluations


def steps_in(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "evaluation before training": lambda folder: (folder / "config.yaml").exists(),
    "first step, no checkpoint yet": lambda folder: steps_in(folder) >= 1,
    "half a checkpoint": lambda folder: (folder / "checkpoints" / "2.partial").exists(),
    "checkpoint written": lambda folder: (folder / "checkpoints" / "2").exists(),
    "episodes written, no metrics yet": lambda folder: (folder / "episodes" / "3.jsonl.zst").exists(),
    "step after a checkpoint": lambda folder: steps_in(folder) >= 3,
    "half an evaluation": lambda folder: (folder / "eval" / "3.jsonl.zst").exists(),
    "evaluated": lambda folder: (folder / "eval" / "3.json").exists(),
    "late step": lambda folder: steps_in(folder) >= 5,
    "half the last checkpoint": lambda folder: (folder / "checkpoints" / "6.partial").exists(),
    "last evaluation": lambda folder: (folder / "checkpoints" / "6").exists(),
    "evaluated at the end": lambda folder: (folder / "eval" / "6.json").exists(),
}


FEW = ("first step, no checkpoint yet", "half a checkpoint", "half an evaluation", "last evaluation")


@pytest.mark.parametrize("moments", [FEW, pytest.param(tuple(MOMENTS), marks=pytest.mark.slow)], ids=["few", "all"])
def test_killed_at_every_kind_of_moment(
    run: Callable[..., Any], small: tuple[str, ...], straight: Path, same_run: Any, tmp_path: Path, moments: tuple[str, ...]
) -> None:
    """SIGKILL, resume, SIGKILL ... and at last to the end."""
    folder = tmp_path / "small"
    command = ("train", *small, f"run.root={tmp_path}", "run.name=small")
    killed = 0
    for moment in moments:
        happened = MOMENTS[moment]
        started = folder.exists() and (folder / "config.yaml").exists()
        process = run(*command, *(["--resume"] if started else []))
        process.wait_until(lambda happened=happened: happened(folder))
        process.signal(signal.SIGKILL)
        code, output = process.end()
        assert code in (0, -signal.SIGKILL), output
        killed += code == -signal.SIGKILL
    process = run(*command, "--resume")
    assert process.end()[0] == 0
    same_run(straight, folder)
    assert not list(folder.rglob("*.partial"))
    assert killed >= len(moments) // 2  # the rest ended before the signal came


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_moments(
    run: Callable[..., Any], small: tuple[str, ...], straight: Path, same_run: Any, tmp_path: Path, seed: int
) -> None:
    """After a number of changes to the folder that was drawn at random."""
    import random

    chance = random.Random(seed)
    folder = tmp_path / "small"
    command = ("train", *small, f"run.root={tmp_path}", "run.name=small")
    for _ in range(8):
        started = (folder / "config.yaml").exists()
        process = run(*command, *(["--resume"] if started else []))
        changes = chance.randrange(1, 60)
        seen: set[tuple[str, int]] = set()

        def enough(changes: int = changes, seen: set[tuple[str, int]] = seen) -> bool:
            with suppress(FileNotFoundError):  # a file or folder that was renamed meanwhile: the next look sees it
                for path in folder.rglob("*"):
                    seen.add((str(path), path.stat().st_mtime_ns))
            return len(seen) > changes

        process.wait_until(enough)
        process.signal(signal.SIGKILL)
        code, output = process.end()
        assert code in (0, -signal.SIGKILL), output
    process = run(*command, "--resume")
    assert process.end()[0] == 0
    same_run(straight, folder)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP))]
)
def test_stopped_by_a_signal_saves_the_last_whole_step(
    run: Callable[..., Any], small: tuple[str, ...], straight: Path, same_run: Any, tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "small"
    seldom = [one for one in small if not one.startswith("checkpoint.every")]
    command = ("train", *seldom, f"run.root={tmp_path}", "run.name=small", "checkpoint.every=100")
    for moment in (
        lambda: (folder / "config.yaml").exists(),  # evaluation before training
        lambda: steps_in(folder) >= 1,
        lambda: (folder / "eval" / "3.jsonl.zst").exists(),
        lambda: steps_in(folder) >= 4,
    ):
        process = run(*command, *(["--resume"] if (folder / "config.yaml").exists() else []))
        stopped = process.wait_until(moment)
        process.signal(number)
        code, output = process.end()
        assert code == (130 if stopped else 0), output
        assert "Traceback" not in output
        assert "stopped; go on with: agentgym-rl train" in output
        assert output.rstrip().endswith("--resume")
        steps = steps_in(folder)
        assert RunFolder(folder).checkpoint_steps()[-1:] == ([steps] if steps else [])
    assert run(*command, "--resume").end()[0] == 0
    shutil.rmtree(folder / "checkpoints")
    shutil.copytree(straight / "checkpoints", folder / "checkpoints")  # saved at other steps: those that are there were
    same_run(straight, folder)


@pytest.mark.slow
def test_another_hash_seed_gives_the_same_run(
    start_zygote: Callable[..., Any],
    run: Callable[..., Any],
    small: tuple[str, ...],
    straight: Path,
    same_run: Any,
    tmp_path: Path,
) -> None:
    process = run("train", *small, f"run.root={tmp_path}", "run.name=small", within=start_zygote(PYTHONHASHSEED="12345"))
    code, output = process.end()
    assert code == 0, output
    same_run(straight, tmp_path / "small")


class Killed(BaseException):
    """Stands in for SIGKILL where no file tells the moment."""


@pytest.fixture
def killed_at(small_settings: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Any]:
    """Trains until the ``call``-th call of something raises, then returns the settings."""

    def train(owner: Any, name: str, call: int, *overrides: str) -> Any:
        settings = small_settings(tmp_path, *overrides)
        original, calls = getattr(owner, name), []

        def counted(*arguments: Any, **more: Any) -> Any:
            calls.append(name)
            if len(calls) == call:
                raise Killed
            return original(*arguments, **more)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, counted)
            with pytest.raises(Killed):
                agentgym_rl.train(settings)
        return settings

    return train


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (trainer_module, "make_batch", 4),
        (MetricsFile, "amend", 1),
        pytest.param(trainer_module, "save_checkpoint", 2, marks=pytest.mark.slow),
        pytest.param(MetricsFile, "append", 5, marks=pytest.mark.slow),
        pytest.param(Evaluations, "after_step", 2, marks=pytest.mark.slow),
    ],
)
def test_resumed_after_anything(
    killed_at: Callable[..., Any], straight: Path, same_run: Any, owner: Any, name: str, call: int
) -> None:
    settings = killed_at(owner, name, call)
    agentgym_rl.train(settings, resume=True)
    same_run(straight, Path(settings.run.root) / "small")


OTHERS = {
    "ppo": ["algorithm={name: ppo}", "batch.mini_batches=3", "batch.epochs=2"],
    "kl": ["algorithm={name: grpo, kl: {coefficient: 0.05, controller: {kind: adaptive, target: 0.001}}}"],
    "running mean": ["algorithm={name: reinforce, advantage: {baseline: running}}"],
    "lora": [
        "optimizer.lora={rank: 2}",
        "optimizer.train_embeddings=false",
        "algorithm={name: grpo, kl: {coefficient: 0.05}}",
    ],
    "bfloat16": ["model.dtype=bfloat16"],
    "adaptive": ["horizon={schedule: adaptive, turns: [2, 4], window: 1, success: 0.01}"],
    "mix": ["environment={mix: [{id: textcraft, categories: [depth-1]}, {id: babyai, categories: [GoTo], weight: 2}]}"],
    "dapo": ["algorithm={name: dapo}"],
    "solved tasks": [
        "environment={id: textcraft, categories: [depth-1], skip_solved: 0.9, within_horizon: true, options: {scenes: 2}}",
        "horizon={schedule: stages, turns: [6, 9], every: 2}",
        "batch.groups=32",  # so many that goals which were solved come again after the stop
        "optimizer.decay_steps=2",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_everything_that_remembers_is_resumed(
    killed_at: Callable[..., Any], small_settings: Callable[..., Any], same_run: Any, tmp_path: Path, kind: str
) -> None:
    """The state of critics, references, controllers, means, adapters and schedules."""
    overrides = ["run.steps=4", "evaluation.every=0", "evaluation.tasks=4", "batch.group_size=3", *OTHERS[kind]]
    if not any(override.startswith("horizon=") for override in overrides):
        overrides.append("horizon={schedule: stages, turns: [2, 3], every: 2}")
    agentgym_rl.train(small_settings(tmp_path / "whole", *overrides))
    settings = killed_at(trainer_module, "make_batch", 4, *overrides)
    agentgym_rl.train(settings, resume=True)
    same_run(tmp_path / "whole" / "small", tmp_path / "small")


def test_a_longer_run_goes_on(straight: Path, small_settings: Callable[..., Any], same_run: Any, tmp_path: Path) -> None:
    agentgym_rl.train(small_settings(tmp_path, "run.steps=4", "checkpoint.keep=9"))
    agentgym_rl.train(small_settings(tmp_path), resume=True)
    folder = tmp_path / "small"
    for path in (folder / "eval").glob("4.*"):
        path.unlink()  # the shorter run was evaluated at its end
    lines = MetricsFile(folder / "metrics.jsonl")
    text = lines.path.read_text().splitlines()
    whole = (straight / "metrics.jsonl").read_text().splitlines()
    assert '"eval/success"' in text[3]
    assert '"eval/success"' not in whole[3]
    lines.path.write_text("\n".join([*text[:3], whole[3], *text[4:]]) + "\n")
    same_run(straight, folder)
    assert "steps: 6" in (folder / "config.yaml").read_text()


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("optimizer.learning_rate=0.5", r"optimizer\.learning_rate: 0\.001 → 0\.5"),
        ("run.seed=4", r"run\.seed: 0 → 4"),
        ("horizon={schedule: fixed, turns: [3]}", r"horizon\.schedule: 'stages' → 'fixed'"),
        ("batch.group_size=2", r"batch\.group_size: 4 → 2"),
        ("evaluation.free=true", r"evaluation\.free: False → True"),
        ("run.threads=2", r"run\.threads: 1 → 2"),
    ],
)
def test_a_changed_setting_that_matters_is_named(
    straight: Path, small_settings: Callable[..., Any], override: str, named: str
) -> None:
    before = (straight / "metrics.jsonl").read_bytes()
    with pytest.raises(ConfigError, match=rf"small was started with other settings: .*{named}.*run\.name=NAME"):
        agentgym_rl.train(small_settings(straight.parent, override), resume=True)
    assert (straight / "metrics.jsonl").read_bytes() == before


def test_a_finished_run_is_not_made_again(straight: Path, small_settings: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(straight, tmp_path / "small")
    before = {path: path.read_bytes() for path in (tmp_path / "small").rglob("*.zst")}
    with pytest.raises(RunExists, match=r"small exists already\. Go on with it: add --resume"):
        agentgym_rl.train(small_settings(tmp_path))
    summary = agentgym_rl.train(small_settings(tmp_path, "tracking.to=[]"), resume=True)
    assert summary["steps"] == 6
    assert {path: path.read_bytes() for path in (tmp_path / "small").rglob("*.zst")} == before


def test_players_that_have_played_are_read(straight: Path, small_settings: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(straight, tmp_path / "small")
    settings = small_settings(tmp_path, "tracking.to=[]", "evaluation.players=true")
    players = agentgym_rl.train(settings, resume=True)["players"]
    path = tmp_path / "small" / "eval" / "players.json"
    written = path.stat().st_mtime_ns
    assert players
    assert agentgym_rl.train(settings, resume=True)["players"] == players
    assert path.stat().st_mtime_ns == written
    path.write_text("{")
    with pytest.raises(RecordError, match=r"players\.json can't be read .*delete it to have it played again"):
        agentgym_rl.train(settings, resume=True)


def test_half_a_checkpoint_is_never_picked(
    straight: Path, small_settings: Callable[..., Any], same_run: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    shutil.copytree(straight, folder)
    (folder / "checkpoints" / "6").rename(folder / "checkpoints" / "6.partial")
    (folder / "checkpoints" / "6.partial" / "trainer_state.pt").unlink()
    agentgym_rl.train(small_settings(tmp_path), resume=True)
    same_run(straight, folder)


def test_a_damaged_checkpoint_is_named(
    straight: Path, small_settings: Callable[..., Any], same_run: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    shutil.copytree(straight, folder)
    (folder / "checkpoints" / "6" / "trainer_state.pt").write_bytes(b"")
    with pytest.raises(
        RecordError, match=r"6/trainer_state\.pt can't be read .*delete the checkpoint to use the one before"
    ):
        agentgym_rl.train(small_settings(tmp_path), resume=True)
    shutil.rmtree(folder / "checkpoints" / "6")
    agentgym_rl.train(small_settings(tmp_path), resume=True)
    same_run(straight, folder)


def test_a_damaged_checkpoint_costs_no_other_where_fewer_are_kept(
    straight: Path, small_settings: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    shutil.copytree(straight, folder)
    (folder / "checkpoints" / "6" / "trainer_state.pt").write_bytes(b"")
    with pytest.raises(RecordError, match="to use the one before"):
        agentgym_rl.train(small_settings(tmp_path, "checkpoint.keep=1"), resume=True)
    assert RunFolder(folder).checkpoint_steps() == [4, 6]
    shutil.copytree(straight / "checkpoints" / "6", folder / "checkpoints" / "6", dirs_exist_ok=True)
    agentgym_rl.train(small_settings(tmp_path, "checkpoint.keep=1"), resume=True)
    assert RunFolder(folder).checkpoint_steps() == [6]


def test_nothing_to_resume(small_settings: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no run to resume"):
        agentgym_rl.train(small_settings(tmp_path), resume=True)


@pytest.mark.parametrize("name", ["0.json", "0.jsonl.zst"])
def test_a_first_evaluation_that_is_gone_is_played_again_with_the_first_weights(
    straight: Path, small_settings: Callable[..., Any], same_run: Any, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "small"
    shutil.copytree(straight, folder)
    (folder / "eval" / name).unlink()
    agentgym_rl.train(small_settings(tmp_path), resume=True)
    same_run(straight, folder)


def test_a_damaged_report_is_named(straight: Path, small_settings: Callable[..., Any], tmp_path: Path) -> None:
    shutil.copytree(straight, tmp_path / "small")
    report = tmp_path / "small" / "eval" / "0.json"
    report.write_text(report.read_text()[:100])
    with pytest.raises(RecordError, match=r"eval/0\.json is no report .*delete it to have it played again"):
        agentgym_rl.train(small_settings(tmp_path), resume=True)
