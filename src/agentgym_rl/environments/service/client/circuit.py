"""The circuit breaker of one server."""

from __future__ import annotations

from collections.abc import Callable

FAILURES = 3
"""So many in a row open the circuit."""
FIRST_SECONDS = 1.0
LONGEST_SECONDS = 10.0


class Circuit:
    """Open: the server gets nothing until a time is over; then one trial, which closes it, or opens it for twice as long."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures = 0
        self._pause = FIRST_SECONDS
        self._until: float | None = None

    @property
    def closed(self) -> bool:
        """Whether the server is thought to work."""
        return self._until is None

    def allows(self) -> bool:
        """Whether the server may be asked now. After a pause the first who asks this gets the trial."""
        if self._until is None:
            return True
        if self._clock() < self._until:
            return False
        self._until = self._clock() + self._pause
        return True

    def succeeded(self) -> None:
        """The server has answered."""
        self._failures, self._pause, self._until = 0, FIRST_SECONDS, None

    def failed(self) -> None:
        """The server has not answered."""
        self._failures += 1
        if self._until is not None:
            self._pause = min(2 * self._pause, LONGEST_SECONDS)
        if self._until is not None or self._failures >= FAILURES:
            self._until = self._clock() + self._pause
