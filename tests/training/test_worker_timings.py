"""A deterministic run is the same wherever its worlds run and however long they take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentgym_rl

UNEVEN = '''
import random
import time

from agentgym_rl.environments.textcraft import TextCraft


class Uneven(TextCraft):
    """Each call takes up to 2 ms, never the same twice: by a clock that no seed decides."""

    def reset(self, **arguments):
        time.sleep(random.SystemRandom().uniform(0, 0.002))
        return super().reset(**arguments)

    def step(self, action):
        time.sleep(random.SystemRandom().uniform(0, 0.002))
        return super().step(action)
'''


@pytest.mark.parametrize(
    "where",
    [
        "runner: thread",
        pytest.param("runner: process", marks=pytest.mark.slow),
        pytest.param("workers: 2", marks=pytest.mark.slow),
    ],
)
def test_the_clock_of_the_workers_changes_nothing(
    small_settings: Callable[..., Any], same_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "uneven.py").write_text(UNEVEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # of the workers
    for name, place in (("inline", "runner: inline"), ("elsewhere", where)):
        world = f"environment={{id: 'uneven:Uneven', categories: [depth-1], {place}}}"
        overrides = ("run.steps=3", "evaluation.every=0", "rollout.deterministic=true", world)
        agentgym_rl.train(small_settings(tmp_path / name, *overrides))
    same_run(tmp_path / "inline" / "small", tmp_path / "elsewhere" / "small")
