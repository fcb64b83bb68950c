"""What is wrong with settings, in words for whoever wrote them."""

from __future__ import annotations


class ConfigError(ValueError):
    """A setting is unknown, wrong or would do nothing. The message names file and line, key, value and the way out."""
