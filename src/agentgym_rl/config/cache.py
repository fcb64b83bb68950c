"""Where what is made or fetched once is kept: models, corpora, indexes."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """``$AGENTGYM_RL_CACHE``, else ``agentgym-rl`` in the user's cache folder. It need not exist yet."""
    chosen = os.environ.get("AGENTGYM_RL_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "agentgym-rl"
