"""Where commands print: results to stdout, progress and problems to stderr."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from rich.console import Console

_WIDTH = 120


def output() -> Console:
    """The console of results. Text that a world or model wrote goes through ``evaluation.transcript.printable`` first."""
    return _console(sys.stdout)


def progress() -> Console:
    """The console of progress and messages."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    """As wide as the terminal; a file or pipe gets long lines whole and tables of a fixed width."""
    piped = not stream.isatty()
    return Console(file=stream, highlight=False, markup=False, soft_wrap=piped, width=_WIDTH if piped else None)


def print_json(content: Any) -> None:
    """One JSON document on stdout; characters that its encoding lacks, lone surrogates among them, are escaped."""
    text = json.dumps(content, indent=2, ensure_ascii=False, default=str)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(content, indent=2, default=str)
    sys.stdout.write(text + "\n")
