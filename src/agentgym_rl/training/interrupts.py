"""Ctrl-C, SIGTERM and SIGHUP: at once while episodes are played, after the update while weights change."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupts:
    """Turns the first signal into a KeyboardInterrupt where that leaves a state that can be saved; a second is not held."""

    def __init__(self) -> None:
        self._held = 0
        self._asked = False
        self._raised = False
        self.broke_in = False
        """A second signal ended what was held: its state is half changed and must not be saved."""

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._held and not self._asked:
            self._asked = True
            return
        self.broke_in = self._held > 0
        self._raised = True
        raise KeyboardInterrupt

    def check(self) -> None:
        """Raise a KeyboardInterrupt that got lost: one raised while Python runs a finalizer (``__del__``) goes no further."""
        if self._raised:
            raise KeyboardInterrupt

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Handle the signals inside the block. Does nothing outside the main thread, where Python allows no handlers.

        A SIGHUP that is ignored stays so: ``nohup`` asked for it.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        kinds = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            kinds.append(signal.SIGHUP)
        hook = sys.unraisablehook
        sys.unraisablehook = lambda lost: None if lost.exc_type is KeyboardInterrupt else hook(lost)  # check() has it
        previous: dict[int, Any] = {kind: signal.signal(kind, self._handle) for kind in kinds}
        try:
            yield
        finally:
            for kind, handler in previous.items():
                signal.signal(kind, handler)
            sys.unraisablehook = hook

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the block, and those around it, end before an interrupt takes effect."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self._asked and not self._held:
            raise KeyboardInterrupt
