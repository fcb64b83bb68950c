"""Whether Playwright is installed."""

from __future__ import annotations

from importlib.util import find_spec

from agentgym_rl.environments.errors import MissingExtra


def require_playwright() -> None:
    """Raises MissingExtra with the line that installs it."""
    if find_spec("playwright") is None:
        raise MissingExtra("environment 'webarena' needs playwright: pip install 'agentgym-rl[web]'", name="playwright")
