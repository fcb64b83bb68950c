"""The command line: one file a command, each parses, calls and prints. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script ``agentgym-rl``: runs a command and exits with 0, 1 (failed), 2 (bad use) or 130 (Ctrl-C)."""
    from agentgym_rl.cli.streams import guard_streams, lost_output

    output, _ = guard_streams()
    from agentgym_rl.cli.app import run

    code = run(sys.argv[1:] if arguments is None else arguments)
    sys.stdout.flush()
    problem = lost_output(output)
    if problem:
        print(f"error: {problem}", file=sys.stderr)
    sys.exit(code or int(problem is not None))
