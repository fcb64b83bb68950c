"""Optional packages, and the one line for those that are not there."""

from __future__ import annotations

import importlib
from typing import Any

from agentgym_rl.environments.errors import MissingExtra


def optional(module: str, package: str, extra: str) -> Any:
    """The module. Raises MissingExtra: it is not installed; the message names the ``pip install``."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"this needs {package}: pip install 'agentgym-rl[{extra}]'", name=module) from error
