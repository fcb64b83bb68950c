"""The command line: one file a command, each parses, calls and prints. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script ``agentgym-rl``: runs a command and exits with 0, 1 (failed), 2 (bad use) or 130 (Ctrl-C)."""
    from agentgym_rl.cli.app import run

    sys.exit(run(sys.argv[1:] if arguments is None else arguments))
