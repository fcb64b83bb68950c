"""What was worked out once and is the same again, up to a number of things."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """The values last used. Threads may share one; two that ask for the same at once both work it out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, find: Callable[[], Value]) -> Value:
        """The value of ``key``: remembered, or else found. Raises: what ``find`` raises."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        found = find()
        with self._lock:
            self._values[key] = found
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return found
