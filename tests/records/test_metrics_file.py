"""``metrics.jsonl``: valid JSON, cut back on resume."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from agentgym_rl.records.errors import RecordError
from agentgym_rl.records.metrics import MetricsFile


@pytest.fixture
def metrics(tmp_path: Path) -> MetricsFile:
    return MetricsFile(tmp_path / "metrics.jsonl")


def steps(metrics: MetricsFile) -> list[int]:
    return [line["step"] for line in metrics.read()]


def test_lines_come_back_in_order(metrics: MetricsFile) -> None:
    assert metrics.read() == []
    metrics.append({"step": 1, "reward/mean": 0.1 + 0.2})
    metrics.append({"step": 2, "reward/mean": None})
    assert metrics.read() == [{"step": 1, "reward/mean": 0.1 + 0.2}, {"step": 2, "reward/mean": None}]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_become_null(metrics: MetricsFile, value: float) -> None:
    written = metrics.append({"step": 1, "loss/policy": value})
    assert written == {"step": 1, "loss/policy": None}

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert json.loads(metrics.path.read_text(), parse_constant=refuse) == written


def test_later_lines_are_cut_on_resume_and_written_again(metrics: MetricsFile) -> None:
    for step in range(1, 6):
        metrics.append({"step": step, "time/step": step * 1.0})
    kept = metrics.truncate(3)
    assert [line["step"] for line in kept] == [1, 2, 3]
    metrics.append({"step": 4, "time/step": 40.0})
    assert steps(metrics) == [1, 2, 3, 4]
    assert metrics.read()[-1]["time/step"] == 40.0


def test_a_half_written_last_line_is_dropped(metrics: MetricsFile) -> None:
    metrics.append({"step": 1})
    whole = metrics.path.read_bytes()
    for cut in (b'{"st', b'{"step": 2}', b"\xe2\x82"):
        metrics.path.write_bytes(whole + cut)
        assert steps(metrics) == [1]
    metrics.truncate(1)
    assert metrics.path.read_bytes() == whole


def test_truncating_before_the_first_step_leaves_an_empty_file(metrics: MetricsFile) -> None:
    assert metrics.truncate(0) == []
    metrics.append({"step": 1})
    assert metrics.truncate(0) == []
    assert metrics.path.read_bytes() == b""


@pytest.mark.parametrize("line", ["x", "[]", "{}", '{"step": "1"}', "3"])
def test_a_damaged_line_in_the_middle_is_named(metrics: MetricsFile, line: str) -> None:
    metrics.path.write_text(f'{{"step": 1}}\n{line}\n{{"step": 3}}\n')
    with pytest.raises(RecordError, match=r"metrics\.jsonl:2: not a line of metrics"):
        metrics.read()


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone/metrics\.jsonl: cannot be written"):
        MetricsFile(tmp_path / "gone" / "metrics.jsonl").append({"step": 1})


def test_metrics_that_are_no_file_are_named(metrics: MetricsFile) -> None:
    metrics.path.mkdir()
    with pytest.raises(RecordError, match=r"metrics\.jsonl: not readable: Is a directory"):
        metrics.read()
