"""What a session in the browser is like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Scope = Literal["viewport", "page"]


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """Immutable and hashable by identity of its parts only where they are; one value may serve many sessions."""

    hosts: tuple[str, ...] = ()
    """What may be reached: ``host`` (any port) or ``host:port``. Every other request is blocked and reported. Empty: nothing."""
    browser_hosts: tuple[str, ...] = ()
    """Sessions that reach different hosts share a browser when these are equal and hold the hosts of all. Empty: ``hosts``."""
    executable: str | None = None
    """The browser's program; None: the variable ``AGENTGYM_RL_CHROMIUM``, else what the machine has."""
    width: int = 1280
    """Of the viewport, in CSS pixels."""
    height: int = 720
    scope: Scope = "viewport"
    """Whether an observation holds what is in the viewport or the whole page."""
    tokens: int | None = None
    """At most so many tokens of observation (about 3.5 characters each), with the cut shown; None: no limit."""
    image: bool = False
    """Whether a view has a screenshot."""
    graphics: bool = False
    """Whether shapes of SVG pictures, and elements that merely look clickable, are elements too, told by colour, size and place."""
    hide: str = ""
    """A CSS selector of elements that are never part of a view, with all that is in them."""
    action_seconds: float = 5.0
    """How long an action may take to have its effect: a page still busy then is observed as it is."""
    load_seconds: float = 15.0
    """How long a page may take to answer and show a document."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of Playwright's ``new_context``: ``storage_state``, ``locale``, ``record_har_path`` …"""
    script: str = ""
    """JavaScript that runs in every page before its own: the world's, never the page's or the model's."""
    settle: str = ""
    """JavaScript, the world's, evaluated in the focused page after each action, before it is looked at; what it returns is the
    outcome's ``settled``. For worlds that own the page's clock."""
