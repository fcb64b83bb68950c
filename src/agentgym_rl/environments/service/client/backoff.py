"""Waits between attempts."""

from __future__ import annotations

import random
from collections.abc import Iterator

FIRST_SECONDS = 0.1
LONGEST_SECONDS = 5.0


def waits() -> Iterator[float]:
    """Seconds to wait after the first, second … failed attempt: doubling up to a bound, each cut at random by up to half, so
    that clients that failed together don't come back together.
    """
    wait = FIRST_SECONDS
    while True:
        yield wait * random.uniform(0.5, 1.0)
        wait = min(2 * wait, LONGEST_SECONDS)
