"""Which exceptions are the user's to mend, and what to print for them."""

from __future__ import annotations

import sys

from agentgym_rl.cli.extras import extra_of_module

FAILED, BAD_USE, STOPPED = 1, 2, 130
"""Exit codes; the last is what shells use for Ctrl-C."""

_CODES = {
    "agentgym_rl.records.errors:WriteFailed": FAILED,
    "agentgym_rl.environments.errors:EnvironmentFault": FAILED,
    "agentgym_rl.environments.errors:TooManyAbandonedThreads": FAILED,
    "agentgym_rl.agents.engines.openai:ChatServerRefused": FAILED,
    "agentgym_rl.agents.rollout.faults:TooManyFaults": FAILED,
    "agentgym_rl.training.learner.learner:NotFinite": FAILED,
    "agentgym_rl.training.collapse:Collapsed": FAILED,
    "agentgym_rl.config.errors:ConfigError": BAD_USE,
    "agentgym_rl.environments.errors:MissingExtra": BAD_USE,
    "agentgym_rl.environments.errors:UnknownEnvironment": BAD_USE,
    "agentgym_rl.environments.errors:UnknownTask": BAD_USE,
    "agentgym_rl.agents.players.names:UnknownPlayer": BAD_USE,
    "agentgym_rl.agents.formats.registry:UnknownFormat": BAD_USE,
    "agentgym_rl.agents.models.errors:ModelError": BAD_USE,
    "agentgym_rl.agents.action_spaces.admissible:CannotRestrict": BAD_USE,
    "agentgym_rl.records.errors:RecordError": BAD_USE,
    "agentgym_rl.environments.search.errors:CorpusError": BAD_USE,
    "agentgym_rl.environments.web.webarena.errors:SiteProblem": BAD_USE,
    "agentgym_rl.environments.web.webarena.errors:TaskFileError": BAD_USE,
    "agentgym_rl.environments.web.webarena.errors:VerifiedMissing": BAD_USE,
    "agentgym_rl.environments.search.errors:IndexRefused": BAD_USE,
    "agentgym_rl.training.tracking.errors:TrackerMissing": BAD_USE,
}
"""By name, because an exception of a class can only come from a module that is loaded: nothing is imported to tell."""


def explain_error(error: Exception) -> tuple[str, int] | None:
    """The message and the exit code; None for a bug, whose traceback is wanted."""
    for name, code in _CODES.items():
        module, _, kind = name.partition(":")
        if module in sys.modules and isinstance(error, getattr(sys.modules[module], kind)):
            return _text(error), code
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        extra = extra_of_module(error.name)
        if extra is not None:
            return f"this needs {error.name}: {extra.install}", BAD_USE
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}", FAILED
    return None


def _text(error: Exception) -> str:
    """The message; of a LookupError without the quotes its ``str`` may add."""
    return str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)
