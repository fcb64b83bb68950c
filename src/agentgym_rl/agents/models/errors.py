"""What goes wrong with models, in words for people."""

from __future__ import annotations


class ModelError(RuntimeError):
    """A model can't be had or can't be used; the message names it and the way out."""
