"""The benchmark of search measures what it says, on a corpus that takes no time."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def search():
    spec = importlib.util.spec_from_file_location("benchmark_search", ROOT / "benchmarks" / "search.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_figure_comes_out(search, tmp_path):
    corpus, index = tmp_path / "corpus.jsonl", tmp_path / "index"
    search.write_corpus(corpus, 300)
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == 300
    assert all(len(row["contents"].split()) >= search.WORDS for row in rows)
    found = [figure for measure in search.FIGURES.values() for figure in measure(corpus, index)]
    assert [figure.target for figure in found if figure.target] == [
        "300 s",
        "bounded",
        "p50 3 ms",
        "300 queries/s",
        "400 MiB",
        "300 queries/s",
    ]
    assert len(found) == 15
