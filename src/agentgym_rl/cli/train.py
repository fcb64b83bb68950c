"""``agentgym-rl train``: settings in, a run folder out."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentgym_rl.cli.console import output, print_json, progress

if TYPE_CHECKING:
    from agentgym_rl.records.run_folder import RunFolder
    from agentgym_rl.training.settings import TrainSettings


def _help_settings(wanted: bool) -> None:
    if wanted:
        from agentgym_rl.cli.settings_help import show_settings
        from agentgym_rl.training.settings import TrainSettings

        show_settings(TrainSettings, output())
        raise typer.Exit


def command(
    config: Annotated[Path, typer.Argument(help="A YAML file, e.g. configs/quickstart.yaml.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Settings that replace the file's.", metavar="[KEY=VALUE]...")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and show everything, train nothing.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run of this name from its last checkpoint.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary (or the dry run's findings) as JSON.")] = False,
    _settings: Annotated[
        bool, typer.Option("--help-settings", callback=_help_settings, is_eager=True, help="Explain every setting.")
    ] = False,
) -> None:
    """Train a model by the settings of a file, with dotted overrides.

    Example: agentgym-rl train configs/quickstart.yaml run.seed=1 horizon.turns=[4,8]
    """
    from agentgym_rl.config import load
    from agentgym_rl.training.settings import TrainSettings

    loaded = load(config, overrides or [], TrainSettings)
    for note in loaded.notes:
        progress().print(f"note: {note}")
    if dry_run:
        _dry_run(loaded.settings, as_json)
        return
    summary = _train(loaded.settings, resume, shlex.join(["agentgym-rl", "train", str(config), *(overrides or [])]))
    if as_json:
        print_json(summary)
    else:
        from agentgym_rl.cli.final import show_summary

        show_summary(summary, output())


def _train(settings: TrainSettings, resume: bool, again: str) -> Any:
    """The summary of the run. Ctrl-C and a disk that gives up end with how to go on."""
    from agentgym_rl.cli.live import LiveTable, PlainLog
    from agentgym_rl.records.errors import WriteFailed
    from agentgym_rl.records.run_folder import RunFolder, run_path
    from agentgym_rl.training.api import train

    folder = RunFolder(run_path(settings.run.root, settings.run.name))
    console = progress()
    try:
        with LiveTable(console) if console.is_terminal else PlainLog(console) as watcher:
            return train(settings, resume=resume, callbacks=[watcher])
    except KeyboardInterrupt:
        print(f"stopped; {_way_on(folder, again)}", file=sys.stderr)
        raise typer.Exit(130) from None
    except WriteFailed as error:
        steps = folder.checkpoint_steps()
        last = f"the last good checkpoint is {folder.checkpoint(steps[-1])}" if steps else "there is no checkpoint yet"
        raise type(error)(f"{error}\n{last}; once that is mended, {_way_on(folder, again)}") from error


def _way_on(folder: RunFolder, again: str) -> str:
    return f"go on with: {again} --resume" if folder.config.exists() else f"nothing was begun, start with: {again}"


def _dry_run(settings: TrainSettings, as_json: bool) -> None:
    from agentgym_rl.cli.settings_help import show_findings
    from agentgym_rl.config import dump
    from agentgym_rl.training.api import dry_run

    findings = dry_run(settings)
    if as_json:
        from agentgym_rl.config import plain

        print_json({"settings": plain(settings), **findings})
        return
    output().print(dump(settings))
    show_findings(findings, output())
