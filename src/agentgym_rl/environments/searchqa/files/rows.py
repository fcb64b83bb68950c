"""The rows of a file, whatever its kind: JSON lines, JSON, Parquet, CSV, TSV; ``.gz`` of the text ones."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from agentgym_rl.environments.searchqa.files.errors import QuestionFileError

SUFFIXES = (".jsonl", ".json", ".parquet", ".csv", ".tsv", ".jsonl.gz", ".json.gz", ".csv.gz", ".tsv.gz")
_CONTAINERS = ("data", "Data")
"""The key under which SQuAD's and TriviaQA's files have their rows."""

Row = dict[str, Any]


def is_question_file(path: Path) -> bool:
    """Whether the name says that it can be read."""
    return path.name.endswith(SUFFIXES) and not path.name.startswith(".")


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Place (``line 3``, ``row 17``) and content of each row.

    Raises:
        QuestionFileError: the file can't be read, or a row is no JSON object.
    """
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    try:
        if kind == "parquet":
            yield from _parquet(path)
            return
        with _open(path) as stream:
            if kind == "jsonl":
                yield from _lines(path, stream)
            elif kind == "json":
                yield from _document(path, stream)
            elif kind in ("csv", "tsv"):
                yield from _table(path, stream, "," if kind == "csv" else "\t")
            else:
                raise QuestionFileError(path, "", f"its name ends with none of {', '.join(SUFFIXES)}")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise QuestionFileError(path, "", f"can't be read: {getattr(error, 'strerror', None) or error}") from error


def _open(path: Path) -> TextIO:
    if path.name.endswith(".gz"):
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _lines(path: Path, stream: TextIO) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield f"line {number}", _object(path, f"line {number}", line)


def _object(path: Path, place: str, text: str) -> Row:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise QuestionFileError(path, place, f"no JSON: {error}") from None
    if not isinstance(found, dict):
        raise QuestionFileError(path, place, f"not a JSON object but {type(found).__name__}")
    return found


def _document(path: Path, stream: TextIO) -> Iterator[tuple[str, Row]]:
    try:
        content = json.load(stream)
    except json.JSONDecodeError as error:
        raise QuestionFileError(path, f"line {error.lineno}", f"no JSON: {error.msg}") from None
    except RecursionError:
        raise QuestionFileError(path, "", "its JSON is nested too deeply") from None
    if isinstance(content, dict):
        content = next((content[key] for key in _CONTAINERS if key in content), content)
    if not isinstance(content, list):
        raise QuestionFileError(path, "", "neither a JSON list nor an object with one under 'data' or 'Data'")
    for number, row in enumerate(content, 1):
        if not isinstance(row, dict):
            raise QuestionFileError(path, f"row {number}", f"not a JSON object but {type(row).__name__}")
        yield f"row {number}", row


def _table(path: Path, stream: TextIO, delimiter: str) -> Iterator[tuple[str, Row]]:
    reader = csv.DictReader(stream, delimiter=delimiter)
    try:
        for row in reader:
            yield f"line {reader.line_num}", {key: value for key, value in row.items() if key is not None}
    except csv.Error as error:
        raise QuestionFileError(path, f"line {reader.line_num}", str(error)) from None


def _parquet(path: Path) -> Iterator[tuple[str, Row]]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:  # type: ignore[no-untyped-call]
            number = 0
            for batch in file.iter_batches(batch_size=4096):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
    except pyarrow.lib.ArrowException as error:
        raise QuestionFileError(path, "", f"no Parquet that can be read: {str(error).splitlines()[0]}") from None
