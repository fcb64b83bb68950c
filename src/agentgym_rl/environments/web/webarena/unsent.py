"""Forms that were filled in and not sent, for the tasks that end so.

Webarena-verified judges requests only. For "fill in the form, do not submit it" its tasks want a request that never leaves the
browser: the form's fields, posted to ``/dummy_bin`` of the site, with the form's id in ``form_id`` and without an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

if TYPE_CHECKING:
    from playwright.async_api import Page

SINK = "/dummy_bin"
_FORMS = """() => [...document.forms].map(form => [form.getAttribute('id') || '',
  [...new FormData(form)].filter(([, value]) => typeof value === 'string')])"""
_KIND = "application/x-www-form-urlencoded"
_SECONDS = 5.0


async def unsent_forms(page: Page) -> Sequence[dict[str, Any]]:
    """An entry of an HTTP archive for each form of a page; none where it can't be read."""
    from playwright.async_api import Error

    found: list[tuple[str, list[tuple[str, str]]]] = []
    with suppress(Error, TimeoutError):
        found = await asyncio.wait_for(page.evaluate(_FORMS), _SECONDS)
    parts = urlsplit(page.url)
    return [_entry(f"{parts.scheme}://{parts.netloc}{SINK}", id, fields) for id, fields in found]


def _entry(url: str, id: str, fields: list[tuple[str, str]]) -> dict[str, Any]:
    body = urlencode([("form_id", id), *((name, value) for name, value in fields if name != "form_id")])
    headers = [{"name": "content-type", "value": _KIND}]
    return {
        "request": {"method": "POST", "url": url, "headers": headers, "postData": {"mimeType": _KIND, "text": body}},
        "response": {"status": -1, "headers": [], "cookies": [], "redirectURL": "", "content": {}},
    }
