"""The little expressions inside WebArena's task file: which page to open, and what to read from it.

A task file writes ``func:name(arguments)`` where no fixed address or locator would do. They are read here by a grammar, and
only the names below mean something: nothing is ever evaluated in this process.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

LAST = "last"
"""The page the episode ended on."""
ADDRESS_FUNCTIONS = {"reddit_get_post_url": 1, "shopping_get_latest_order_url": 0}
"""Functions that give an address, with their numbers of arguments."""
READING_FUNCTIONS = {
    "gitlab_get_project_memeber_role": 2,  # spelt so in the task file
    "shopping_get_sku_latest_review_author": 1,
    "shopping_get_sku_latest_review_rating": 1,
}
"""Functions that read from a page or a site's interface."""


@dataclass(frozen=True, slots=True)
class Call:
    """``func:name(arguments)``."""

    name: str
    arguments: tuple[str, ...]
    """Texts as they stand; ``__page__`` for the page."""


@dataclass(frozen=True, slots=True)
class Script:
    """A fixed JavaScript expression of the task file; it runs in the page only."""

    text: str


def read_page_address(text: str) -> str | Call:
    """``last``, an address with a placeholder, or a call.

    Raises:
        ValueError: none of these, or an unknown function.
    """
    if text.startswith("func:"):
        return _call(text, ADDRESS_FUNCTIONS)
    if text != LAST and not text.startswith("__"):
        raise ValueError(f"neither 'last' nor an address with a placeholder nor a function: {text!r}")
    return text


def read_locator(text: str) -> Script | Call | None:
    """A script, a call, or None for the whole page.

    Raises:
        ValueError: none of these, or an unknown function.
    """
    if not text.strip():
        return None
    if text.startswith("func:"):
        return _call(text, READING_FUNCTIONS)
    if not text.startswith(("document.", "[...document.")):
        raise ValueError(f"a locator is a DOM expression or a function, not {text!r}")
    return Script(text)


def _call(text: str, known: dict[str, int]) -> Call:
    try:
        parsed = ast.parse(text.removeprefix("func:"), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"not a function call: {text!r}") from error
    if not (isinstance(parsed, ast.Call) and isinstance(parsed.func, ast.Name) and not parsed.keywords):
        raise ValueError(f"not a function call: {text!r}")
    name = parsed.func.id
    if name not in known:
        raise ValueError(f"unknown function {name!r}; known: {', '.join(known)}")
    arguments = tuple(_argument(node, text) for node in parsed.args)
    if len(arguments) != known[name]:
        raise ValueError(f"{name} takes {known[name]} arguments, not {len(arguments)}")
    return Call(name, arguments)


def _argument(node: ast.expr, text: str) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and node.id == "__page__":
        return node.id
    raise ValueError(f"an argument is a text or __page__: {text!r}")
