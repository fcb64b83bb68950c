"""When a key is read at all: what makes a setting that would do nothing an error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadWhen:
    """A key is read only while another one, ``key``, has one of ``values``, or is a number ``above`` a bound.

    ``key`` is a sibling, or with dots a path from the root. A list has a value when it is equal to it or contains it.
    """

    key: str
    values: tuple[object, ...] = ()
    above: float | None = None

    def holds(self, value: object) -> bool:
        """Whether the key is read while ``self.key`` is ``value``."""
        if self.above is not None:
            return isinstance(value, int | float) and value > self.above
        return value in self.values or (isinstance(value, list) and any(item in self.values for item in value))

    def __str__(self) -> str:
        if self.above is not None:
            return f"{self.key} is above {self.above:g}"
        return f"{self.key} is {' or '.join(_shown(value) for value in self.values)}"


def _shown(value: object) -> str:
    return "not set" if value is None or value == [] else str(value).lower() if isinstance(value, bool) else str(value)
