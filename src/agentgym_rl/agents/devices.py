"""The names of what a model can run on. No torch here."""

from __future__ import annotations

import difflib
import re

_NAMES = ("auto", "cpu", "cuda", "mps")
_DEVICE = re.compile(rf"({'|'.join(_NAMES)})|cuda:[0-9]+")


def check_device(name: str, key: str) -> str:
    """``name``, if it names a device; whether this machine has it only torch can tell. ``key``: who says so.

    Raises ValueError naming what there is.
    """
    if _DEVICE.fullmatch(name) is None:
        near = difflib.get_close_matches(name, _NAMES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{key}={name!r}: should be auto, cpu, cuda, cuda:NUMBER or mps{hint}")
    return name
