"""Which module may import which, and what importing costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_imports_point_downwards() -> None:
    """The layers are in ``pyproject.toml``."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    "modules",
    [
        "agentgym_rl",
        "agentgym_rl.config, agentgym_rl.records.run_folder, agentgym_rl.records.episodes",
        "agentgym_rl.environments.registry, agentgym_rl.environments.textcraft",
        "agentgym_rl.agents.players, agentgym_rl.agents.rollout.runner",
        "agentgym_rl.training.settings, agentgym_rl.training.callbacks, agentgym_rl.training.tracking",
        "agentgym_rl.cli.app",
    ],
)
def test_these_import_without_torch(modules: str) -> None:
    code = (
        f"import sys, {modules}\n"
        "heavy = {'torch', 'transformers', 'matplotlib', 'minigrid'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
