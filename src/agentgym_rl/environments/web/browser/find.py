"""Which Chromium is driven."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from agentgym_rl.environments.errors import MissingExtra

VARIABLE = "AGENTGYM_RL_CHROMIUM"
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Programs looked for on the path, the lightest first."""
WAY_OUT = (
    "install Debian's (apt-get install chromium-headless-shell) or Playwright's (playwright install chromium), "
    f"or name one in {VARIABLE}"
)


class NoBrowser(MissingExtra):
    """There is no Chromium, or what was named is none; the message says how to get one."""


def find_chromium(executable: str | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The browser's program: the one given, the one in :data:`VARIABLE`, the first of :data:`NAMES`, Playwright's own.

    Raises:
        NoBrowser: none of these; or one was named and is not there.
    """
    for name, source in ((executable, "executable"), (environment.get(VARIABLE), VARIABLE)):
        if name:
            found = shutil.which(name)
            if found is None:
                raise NoBrowser(f"no browser at {name!r} ({source}): {WAY_OUT}")
            return Path(found)
    for name in NAMES:
        if found := shutil.which(name, path=environment.get("PATH")):
            return Path(found)
    if own := _of_playwright(environment):
        return own
    raise NoBrowser(f"no browser: {WAY_OUT}")


def _of_playwright(environment: Mapping[str, str]) -> Path | None:
    """The newest build that ``playwright install`` fetched."""
    root = Path(environment.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    patterns = (
        "chromium_headless_shell-*/*/*headless*shell",
        "chromium-*/chrome-linux*/chrome",
        "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    )
    for pattern in patterns:
        if found := [path for path in sorted(root.glob(pattern), reverse=True) if os.access(path, os.X_OK)]:
            return found[0]
    return None
