"""The example of a callback trains; what it leaves behind is what the reference pages explain."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from agentgym_rl.records.metrics import MetricsFile

ROOT = Path(__file__).parents[2]


def test_trains_and_explains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT)
    watch = importlib.import_module("examples.watch")
    small = ["batch.groups=2", "batch.group_size=2", "evaluation.tasks=2", "evaluation.free=true", "rollout.max_tokens=4"]
    watch.main([f"run.root={tmp_path}", "run.name=watched", "run.steps=1", *small])
    run = tmp_path / "watched"
    said = capsys.readouterr().out
    assert "step 1, success" in said
    assert "Goal: craft" in said

    metrics = (ROOT / "docs/reference/metrics.md").read_text(encoding="utf-8")
    for name in MetricsFile(run / "metrics.jsonl").read()[0]:
        assert f"`{name}`" in metrics, name

    page = (ROOT / "docs/reference/run-folder.md").read_text(encoding="utf-8")
    for path in run.rglob("*"):
        name = str(path.relative_to(run)).replace("/0", "/STEP").replace("/1", "/STEP").replace("free-0", "free-STEP")
        name = name.replace("free-1", "free-STEP")
        if path.is_file() and not name.startswith("checkpoints/STEP/"):
            assert f"`{name}`" in page, name
