"""The commands, and what becomes of their errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer

from agentgym_rl.cli import doctor, envs, play, search, serve, train
from agentgym_rl.cli import eval as evaluation
from agentgym_rl.cli.errors import BAD_USE, STOPPED, explain_error

# Some versions of typer carry their own click, others use the installed one: typer's public names lead to either.
_USAGE_ERROR = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="agentgym-rl",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (envs, play, serve, train, evaluation, doctor):
    app.command(_module.__name__.rpartition(".")[2])(_module.command)
app.add_typer(search.app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("agentgym-rl"))
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks (or set AGENTGYM_RL_DEBUG=1).")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train language-model agents by reinforcement learning over many turns.

    First steps: agentgym-rl envs, agentgym-rl play textcraft, agentgym-rl train configs/tiny.yaml
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    if debug:
        os.environ["AGENTGYM_RL_DEBUG"] = "1"


def run(arguments: Sequence[str]) -> int:
    """Run one command line. Errors of use and of the run become a line on stderr and the exit code."""
    try:
        code = app(list(arguments), standalone_mode=False)
        return code if isinstance(code, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        return STOPPED
    except Exception as error:
        if isinstance(error, _USAGE_ERROR):
            return _bad_use(error)
        explained = explain_error(error)
        if explained is None or os.environ.get("AGENTGYM_RL_DEBUG", "0") not in ("", "0"):
            raise
        from agentgym_rl.evaluation.transcript import printable  # worlds and servers have a say in some messages

        message, code = explained
        print(f"error: {printable(message)}", file=sys.stderr)
        return code


def _bad_use(error: Any) -> int:
    where = error.ctx.command_path if error.ctx else "agentgym-rl"
    print(f"error: {error.format_message()}\nSee: {where} --help", file=sys.stderr)
    return BAD_USE
