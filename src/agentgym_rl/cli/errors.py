"""Which exceptions are the user's to mend, and what to print for them."""

from __future__ import annotations

from agentgym_rl.cli.extras import extra_of_module

FAILED, BAD_USE, STOPPED = 1, 2, 130
"""Exit codes; the last is what shells use for Ctrl-C."""


def explain_error(error: Exception) -> tuple[str, int] | None:
    """The message and the exit code; None for a bug, whose traceback is wanted."""
    from agentgym_rl.agents.models.errors import ModelError
    from agentgym_rl.agents.players.names import UnknownPlayer
    from agentgym_rl.config.errors import ConfigError
    from agentgym_rl.environments.errors import EnvironmentFault, MissingExtra, UnknownEnvironment, UnknownTask
    from agentgym_rl.records.errors import DiskFull, RecordError
    from agentgym_rl.training.tracking.errors import TrackerMissing

    if isinstance(error, DiskFull | EnvironmentFault):
        return _text(error), FAILED
    known = (
        ConfigError,
        UnknownEnvironment,
        UnknownTask,
        UnknownPlayer,
        ModelError,
        RecordError,
        MissingExtra,
        TrackerMissing,
    )
    if isinstance(error, known):
        return _text(error), BAD_USE
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        extra = extra_of_module(error.name)
        if extra is not None:
            return f"this needs {error.name}: {extra.install}", BAD_USE
    return None


def _text(error: Exception) -> str:
    """The message; of a LookupError without the quotes its ``str`` may add."""
    return str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)
