"""Parquet: a passage a row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import BinaryIO

from agentgym_rl.environments.search.corpora.row import Bad, from_row
from agentgym_rl.environments.search.extras import optional
from agentgym_rl.environments.search.retrieval import Passage

_ROWS = 1024
"""Are read together."""
_COLUMNS = ("id", "contents", "title", "text")


def read_parquet(stream: BinaryIO) -> Iterator[Passage | Bad]:
    """Reads the columns that it needs. Raises ValueError, OSError: it is no Parquet, or damaged."""
    file = optional("pyarrow.parquet", "pyarrow", "search").ParquetFile(stream)
    there = file.schema_arrow.names
    if "id" not in there or not ("contents" in there or {"title", "text"} <= set(there)):
        raise ValueError(f"columns {', '.join(there)}; needed are id and contents, or id, title and text")
    numbers = count(1)
    for batch in file.iter_batches(_ROWS, columns=[name for name in _COLUMNS if name in there]):
        for row in batch.to_pylist():
            yield from_row(row, f"row {next(numbers)}")
