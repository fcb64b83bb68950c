"""What an environment may raise. A bad action is never one of these: it is an observation."""

from __future__ import annotations


class EnvironmentFault(RuntimeError):
    """The infrastructure failed (server gone, browser crashed, deadline passed). Never the agent's doing, never a reward."""


class DeadlinePassed(EnvironmentFault):
    """A call took longer than it may."""


class UnknownTask(LookupError):
    """No task of that id; the message names the nearest ones."""


class UnknownEnvironment(LookupError):
    """No environment of that id; the message names the nearest ones."""


class ResetNeeded(RuntimeError):
    """``step`` was called before ``reset`` or after the end of the episode."""


class MissingExtra(ImportError):
    """A world's optional dependency is not installed; the message names the ``pip install``."""


class TooManyAbandonedThreads(RuntimeError):
    """So many threads hang in worlds past their deadlines that the run must stop. Not a fault: retrying makes it worse."""
