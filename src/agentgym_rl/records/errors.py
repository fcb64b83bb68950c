"""What can go wrong with what is written down."""

from __future__ import annotations


class RecordError(RuntimeError):
    """A file of a run cannot be read or written. The message names the file and the way out."""


class RunExists(RecordError):
    """The run's folder is already there, and the run is not to be resumed."""


class RunLocked(RecordError):
    """Another process is training or evaluating into the folder."""


class WriteFailed(RecordError):
    """The disk gave up in the middle of a run, which is nobody's bad use; what was saved before is untouched."""


class DiskFull(WriteFailed):
    """No room to write."""
