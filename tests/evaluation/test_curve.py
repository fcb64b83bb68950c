"""The curve draws whatever a run has so far, and its smoothing looks at the past only."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from agentgym_rl.evaluation.curve import draw_curve, running_mean

BEFORE = {"step": 0, "overall": {"success": {"value": 0.1, "low": 0.05, "high": 0.2}}}
AFTER = {"step": 20, "overall": {"success": {"value": 0.7, "low": 0.6, "high": 0.8}}}
LINES: list[dict[str, Any]] = [{"step": i, "horizon": 4 if i < 9 else 8, "success/mean": i / 30} for i in range(1, 21)]


@pytest.mark.parametrize(
    ("lines", "evaluations", "players"),
    [
        (
            LINES,
            {"before": BEFORE, "10": {"step": 10, "overall": {"success": None}}, "after": AFTER},
            {"random": 0.2, "expert": 1.0},
        ),
        ([{"step": 1, "horizon": 4, "success/mean": None}], {"before": BEFORE}, {"random": float("nan")}),
        ([], {}, {}),
    ],
    ids=["whole run", "first step, all faults", "nothing yet"],
)
def test_a_picture_is_drawn(tmp_path: Path, lines: Any, evaluations: Any, players: Any) -> None:
    path = tmp_path / "curve.png"
    draw_curve(path, lines, evaluations, players, "A run")
    picture = path.read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (1800, 1050)


def test_the_running_mean_by_hand() -> None:
    assert running_mean([1, 3, 5, 7], 2) == [1, 2, 4, 6]
    assert running_mean([1, 3, 5, 7], 1) == [1, 3, 5, 7]
    assert running_mean([2, 4], 10) == [2, 3]
    assert running_mean([], 3) == []
