"""What the tests of search share: a small real corpus and its index."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agentgym_rl.environments.search.index import build_index
from agentgym_rl.environments.search.retrieval import Passage

PASSAGES = [
    Passage("0", '"Cyprus"\nThe capital of Cyprus is Nicosia. Its currency is the euro.'),
    Passage("1", '"Iceland"\nThe domain of Iceland is .is and its capital is Reykjavik.'),
    Passage("2", '"Norway"\nThe capital of Norway is Oslo. Norwegians pay in kroner, the Norwegian currency.'),
    Passage("3", '"日本"\n日本の首都は東京です。通貨は円。'),
    Passage("4", '"भारत"\nभारत की राजधानी नई दिल्ली है।'),
    Passage("5", '"Café"\nA café in Nicosia: naïve, élan, Straße.'),
    Passage("6", '"Twin"\nThe same words about twins.'),
    Passage("7", '"Twin"\nThe same words about twins.'),
]


@pytest.fixture
def passages() -> list[Passage]:
    return list(PASSAGES)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of ``PASSAGES``."""
    folder = tmp_path_factory.mktemp("search") / "index"
    build_index(PASSAGES, folder, corpus="places")
    return folder


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows, or lines as they are, to a file."""

    def write(rows: Sequence[object], name: str = "corpus.jsonl") -> Path:
        path = tmp_path / name
        lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
        path.write_bytes(b"\n".join(lines) + b"\n")
        return path

    return write
