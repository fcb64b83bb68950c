"""Episodes of TextCraft by a small model, and learners for them."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("training", deadline=None)
settings.load_profile("training")


@pytest.fixture(scope="session")
def rollout() -> Callable[..., Any]:
    """Plays ``groups`` x ``size`` episodes of TextCraft with a language model; returns their trajectories."""
    from agentgym_rl.agents.chat.choose import choose_renderer
    from agentgym_rl.agents.engines.local import LocalEngine
    from agentgym_rl.agents.engines.protocol import Sampling
    from agentgym_rl.agents.rollout.actor import EpisodeJob
    from agentgym_rl.agents.rollout.model_actor import ModelActor
    from agentgym_rl.agents.rollout.runner import RolloutRunner
    from agentgym_rl.agents.rollout.worlds import World
    from agentgym_rl.agents.settings import AgentSettings
    from agentgym_rl.environments.settings import WorldSettings

    def play(
        language_model: Any,
        *,
        sampling: Any = None,
        groups: int = 3,
        size: int = 4,
        horizon: int = 3,
        **agent: Any,
    ) -> list[Any]:
        acting = AgentSettings(**{"format": "raw", "template": "transcript", "action_space": "admissible", **agent})
        engine = LocalEngine(language_model.model)
        actor = ModelActor(
            engine,
            choose_renderer(acting, language_model.tokenizer, ""),
            acting,
            sampling or Sampling(max_tokens=8),
            context=2048,
            seed=0,
        )
        world = World(WorldSettings(id="textcraft"))
        tasks = world.tasks("train").filter("depth-1")
        jobs = [
            EpisodeJob(tasks[group], 0, group, index, horizon, step=1) for group in range(groups) for index in range(size)
        ]
        with RolloutRunner([world]) as runner:
            return runner.play(jobs, actor)

    return play


@pytest.fixture(scope="session")
def make_learner() -> Callable[..., Any]:
    """A learner of a language model. Keywords are the sections ``algorithm optimizer batch`` as mappings."""
    from agentgym_rl.training.algorithms.resolve import resolve
    from agentgym_rl.training.algorithms.settings import AlgorithmSettings
    from agentgym_rl.training.learner.learner import Learner
    from agentgym_rl.training.settings import BatchSettings, OptimizerSettings

    def make(
        language_model: Any,
        *,
        algorithm: dict[str, Any] | None = None,
        optimizer: dict[str, Any] | None = None,
        batch: dict[str, Any] | None = None,
        temperature: float = 1.0,
    ) -> Learner:
        return Learner(
            language_model,
            resolve(AlgorithmSettings(**(algorithm or {}))),
            OptimizerSettings(**{"learning_rate": 1e-3, "train_embeddings": True, **(optimizer or {})}),
            BatchSettings(**(batch or {})),
            temperature=temperature,
        )

    return make


class Run:
    """A run of ``agentgym-rl`` in a process of its own."""

    def __init__(self, zygote: Any, argv: list[str], output: Path) -> None:
        self._zygote = zygote
        self._output = output
        zygote.stdin.write(json.dumps({"argv": argv, "output": str(output)}) + "\n")
        zygote.stdin.flush()
        self.pid = int(zygote.stdout.readline())
        self._handle = os.pidfd_open(self.pid)

    def wait_until(self, happened: Callable[[], bool]) -> bool:
        """Watch until ``happened``, or the process ended (False). Gives up after a minute."""
        for _ in range(60_000):
            if happened():
                return True
            if select.select([self._handle], [], [], 0.001)[0]:
                return False
        raise TimeoutError("nothing happened")

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def end(self) -> tuple[int, str]:
        """The exit code (negative: the signal that ended it) and what was printed."""
        code = int(self._zygote.stdout.readline())
        os.close(self._handle)
        return code, self._output.read_text()


@pytest.fixture(scope="session")
def start_zygote() -> Iterator[Callable[..., Any]]:
    """Starts a process that starts runs; ``environment`` is added to the variables."""
    started: list[subprocess.Popen[str]] = []

    def start(**environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with process:
            process.kill()


@pytest.fixture(scope="session")
def zygote(start_zygote: Callable[..., Any]) -> Any:
    return start_zygote()


@pytest.fixture
def run(zygote: Any, tmp_path: Path) -> Callable[..., Run]:
    """Starts ``agentgym-rl`` with these arguments."""

    def start(*argv: str, within: Any = None) -> Run:
        return Run(within or zygote, list(argv), tmp_path / "output")

    return start


TINY = str(Path(__file__).parents[2] / "configs" / "tiny.yaml")
SMALL = (
    "run.threads=1",
    "run.steps=6",
    "model.tiny={vocabulary: 400, hidden: 32, layers: 2, heads: 4, context: 1024}",
    "batch.groups=3",
    "batch.group_size=4",
    "batch.micro_batch_tokens=400",
    "horizon={schedule: stages, turns: [3, 5], every: 3}",
    "evaluation.tasks=8",
    "evaluation.every=3",
    "evaluation.players=false",
    "checkpoint.every=2",
)
"""A run of six steps that takes about a second: overrides of configs/tiny.yaml."""


@pytest.fixture(scope="session")
def small() -> tuple[str, ...]:
    """The config and overrides of a small run, as arguments of ``agentgym-rl train``."""
    return (TINY, *SMALL)


@pytest.fixture(scope="session")
def small_settings() -> Callable[..., Any]:
    """The settings of a small run in ``root``, with further overrides."""
    from agentgym_rl.config import load
    from agentgym_rl.training.settings import TrainSettings

    def make(root: Path, *overrides: str, name: str = "small") -> TrainSettings:
        names = {override.partition("=")[0] for override in overrides}
        kept = [
            one for one in SMALL if not any(one.partition("=")[0] == name or one.startswith(f"{name}.") for name in names)
        ]
        return load(TINY, [*kept, f"run.root={root}", f"run.name={name}", *overrides], TrainSettings).settings

    return make


@pytest.fixture(scope="session")
def straight(tmp_path_factory: pytest.TempPathFactory, small_settings: Callable[..., Any]) -> Path:
    """The folder of a small run that nothing interrupted."""
    from agentgym_rl.training.api import train

    root = tmp_path_factory.mktemp("straight")
    train(small_settings(root))
    return root / "small"


@pytest.fixture(scope="session")
def same_run() -> Callable[[Path, Path], None]:
    """Asserts that two runs are equal bit for bit, but for times."""
    from agentgym_rl.records.metrics import MetricsFile
    from agentgym_rl.training.checkpoints import load_state

    def lines(folder: Path) -> list[dict[str, Any]]:
        timed = ("time/", "tokens_per_second/")
        return [
            {key: value for key, value in line.items() if not key.startswith(timed)}
            for line in MetricsFile(folder / "metrics.jsonl").read()
        ]

    def tensors(state: Any, at: str = "") -> Iterator[tuple[str, Any]]:
        if isinstance(state, dict):
            for key, value in state.items():
                yield from tensors(value, f"{at}/{key}")
        elif isinstance(state, list | tuple):
            for number, value in enumerate(state):
                yield from tensors(value, f"{at}/{number}")
        else:
            yield at, state

    def compare(one: Path, other: Path) -> None:
        import torch

        assert lines(one) == lines(other)
        for pattern in ("episodes/*", "eval/*", "checkpoints/*"):
            mine, theirs = (sorted(path.name for path in folder.glob(pattern)) for folder in (one, other))
            assert mine == theirs
        for path in (*one.glob("episodes/*"), *one.glob("eval/*")):
            assert path.read_bytes() == (other / path.relative_to(one)).read_bytes(), path
        for checkpoint in one.glob("checkpoints/*"):
            twin = other / "checkpoints" / checkpoint.name
            mine, theirs = (dict(tensors(load_state(path))) for path in (checkpoint, twin))
            assert mine.keys() == theirs.keys()
            for key, value in mine.items():
                same = torch.equal(value, theirs[key]) if isinstance(value, torch.Tensor) else value == theirs[key]
                assert same, key
            model = "model.safetensors"
            assert (checkpoint / model).read_bytes() == (twin / model).read_bytes()

    return compare
