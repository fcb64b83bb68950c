"""Makes a view of a session's focused tab."""

from __future__ import annotations

import asyncio
import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym_rl.environments.protocol import Image
from agentgym_rl.environments.web.browser.tree import elements_of, text_of
from agentgym_rl.environments.web.browser.view import View

if TYPE_CHECKING:
    from agentgym_rl.environments.web.browser.session import Session


async def look(session: Session, notes: tuple[str, ...]) -> tuple[View, tuple[str, ...]]:
    """The view, with ``notes`` in its text and what was noted while it was made."""
    settings = session.settings
    options = {"whole": settings.scope == "page", "graphics": settings.graphics, "hidden": settings.hide}
    seen = await session.tab.observe(options, settings.action_seconds, settings.load_seconds)
    if seen["cut"]:
        session.note("The page is too large to be shown whole.")
    image = await _image(session) if settings.image else None
    more = session.taken_notes()
    elements = elements_of(seen["rows"])
    head = "\n".join([await _tabs(session, seen["title"]), *(f"Note: {note}" for note in (*notes, *more))]) + "\n\n"
    text, left_out = text_of(elements, settings.tokens, len(head))
    return View(head + text, seen["url"], seen["title"], elements, image, left_out), more


async def _tabs(session: Session, title: str) -> str:
    """``Tab 0: Home | Tab 1 (current): Cart``."""
    titles = await asyncio.gather(
        *(_title(tab.page) if place != session.current else _same(title) for place, tab in enumerate(session.tabs))
    )
    return " | ".join(
        f"Tab {place}{' (current)' if place == session.current else ''}: {name}" for place, name in enumerate(titles)
    )


async def _same(title: str) -> str:
    return title


async def _title(page: Any) -> str:
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(1.0):
            return str(await page.title())
    except (Error, TimeoutError):  # a background tab that hangs or navigates is not worth a fault
        return str(page.url)


async def _image(session: Session) -> Image:
    from PIL import Image as Pictures

    shot = await session.tab.protocol.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    with Pictures.open(io.BytesIO(base64.b64decode(shot["data"]))) as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=np.uint8)
    return np.ascontiguousarray(pixels[: session.settings.height, : session.settings.width])
