"""The pages that the package ``miniwob`` brings, and the families they belong to."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from agentgym_rl.environments.errors import MissingExtra

FAMILIES: dict[str, tuple[str, ...]] = {
    "click": ("button-delay", "click-", "focus-text", "hover-shape", "identify-shape", "tic-tac-toe", "unicode-test"),
    "choose": ("choose-", "number-checkboxes", "odd-or-even", "use-", "daily-calendar", "order-food", "buy-ticket"),
    "type": ("enter-", "login-user", "text-transform", "use-autocomplete", "copy-paste", "text-editor", "terminal"),
    "form": ("form-sequence", "multi-", "book-flight", "sign-agreement", "search-engine"),
    "read": ("read-table", "phone-book", "find-", "scroll-text", "stock-market", "navigate-tree", "highlight-text"),
    "email": ("email-inbox",),
    "social": ("social-media",),
    "count": (
        "count-",
        "visual-addition",
        "simple-",
        "ascending-numbers",
        "generate-number",
        "guess-number",
        "grid-coordinate",
        "hot-cold",
        "simon-says",
    ),
    "drag": (
        "drag-",
        "draw-",
        "resize-textarea",
        "circle-center",
        "bisect-angle",
        "right-angle",
        "find-midpoint",
        "chase-circle",
        "moving-items",
    ),
}
"""Beginnings of the names of a family's pages; the longest one decides."""


@cache
def root() -> Path:
    """The folder of the package's pages. Raises: MissingExtra: it is not installed."""
    spec = find_spec("miniwob")
    if spec is None or spec.origin is None:
        raise MissingExtra("environment 'miniwob' needs the package miniwob: pip install 'agentgym-rl[web]'", name="miniwob")
    return Path(spec.origin).parent / "html"


@cache
def pages() -> tuple[str, ...]:
    """The names of all pages, sorted: ``ascending-numbers`` …"""
    return tuple(sorted(path.stem for path in (root() / "miniwob").glob("*.html")))


def family(page: str) -> str:
    """The family of a page: its tasks' category."""
    found = [(len(start), name) for name, starts in FAMILIES.items() for start in starts if page.startswith(start)]
    return max(found)[1]
