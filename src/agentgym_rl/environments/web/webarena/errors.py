"""What is wrong with the sites, the task list or the evaluators: the user's to mend, before any episode."""

from __future__ import annotations


class SiteProblem(RuntimeError):
    """A site can't be played on; the message names it, its address and the way out."""


class TaskFileError(ValueError):
    """A task file that can't be used; the message names the file, the task's id and the field."""


class VerifiedMissing(RuntimeError):
    """The package webarena-verified has not been installed; the message has the command that does it."""
