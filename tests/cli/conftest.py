"""What the tests of the command line share."""

from __future__ import annotations

import io
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.cli.app import run

CONFIGS = Path(__file__).parents[2] / "configs"


@dataclass(frozen=True)
class Result:
    code: int
    output: str
    errors: str


Invoke = Callable[..., Result]


@pytest.fixture
def invoke(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Runs a command line in this process."""
    monkeypatch.delenv("AGENTGYM_RL_DEBUG", raising=False)

    def call(*arguments: str, typed: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Stands in for ``agentgym_rl.training.api``, which needs torch and time."""
    module: Any = types.ModuleType("agentgym_rl.training.api")
    monkeypatch.setitem(sys.modules, "agentgym_rl.training.api", module)
    return module  # type: ignore[no-any-return]
