"""What can go wrong with what is written down."""

from __future__ import annotations


class RecordError(RuntimeError):
    """A file of a run cannot be read or written. The message names the file and the way out."""


class RunExists(RecordError):
    """The run's folder is already there, and the run is not to be resumed."""


class RunLocked(RecordError):
    """Another process is training into the run's folder."""


class DiskFull(RecordError):
    """No room to write; what was saved before is untouched."""
