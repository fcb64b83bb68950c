"""Writes down the requests of an episode as entries of an HTTP archive (HAR 1.2), as webarena-verified reads them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Request

_ASSETS = frozenset({"image", "stylesheet", "font", "script", "media", "texttrack"})
"""Kinds of requests that no evaluator looks at."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_GONE = ("ERR_CONNECTION_", "ERR_EMPTY_RESPONSE", "ERR_ADDRESS_UNREACHABLE", "ERR_TIMED_OUT")
"""How the browser begins to say that nobody answered."""
_DOWN = frozenset({502, 503, 504})
"""What stands in front of a site that is gone says one of these."""
_LARGEST_BODY = 2**20
_WAIT_SECONDS = 5.0


class Recorder:
    """Listens to a context from now on."""

    def __init__(self, context: BrowserContext) -> None:
        self._places: dict[Request, int] = {}
        self._entries: dict[int, dict[str, Any]] = {}
        self._under_way: set[asyncio.Task[None]] = set()
        self.writing: set[str] = set()
        """Addresses of the requests that may have changed something."""
        self.unanswered: set[str] = set()
        """Addresses of the requests that nobody answered."""
        self._context = context
        context.on("request", self._begun)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._finished)

    async def entries(self) -> Sequence[dict[str, Any]]:
        """What was requested so far, in order, blocked requests and failed ones included; listens no more."""
        self._context.remove_listener("request", self._begun)
        if self._under_way:
            await asyncio.wait(set(self._under_way), timeout=_WAIT_SECONDS)
        for event in ("requestfinished", "requestfailed"):
            self._context.remove_listener(event, self._finished)
        return [self._entries[place] for place in sorted(self._entries)]

    def _begun(self, request: Request) -> None:
        if request.resource_type in _ASSETS:
            return
        self._places[request] = len(self._places)
        if request.method not in _READING:
            self.writing.add(request.url)

    def _finished(self, request: Request) -> None:
        if request not in self._places:
            return
        if request.failure and request.failure.removeprefix("net::").startswith(_GONE):
            self.unanswered.add(request.url)
        task = asyncio.ensure_future(self._write(self._places[request], request))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _write(self, place: int, request: Request) -> None:
        with suppress(Exception):  # the page went away with its answer: nobody can judge that request
            self._entries[place] = entry = await _entry(request)
            if entry["response"]["status"] in _DOWN:
                self.unanswered.add(request.url)


async def _entry(request: Request) -> dict[str, Any]:
    response = await request.response()  # also of one whose body was cut off
    asked: dict[str, Any] = {"method": request.method, "url": request.url, "headers": _pairs(await request.headers_array())}
    body = request.post_data_buffer
    if body is not None:
        kind = next((one["value"] for one in asked["headers"] if one["name"].lower() == "content-type"), "")
        asked["postData"] = {"mimeType": kind, "text": body[:_LARGEST_BODY].decode("utf-8", "replace")}
    if response is None:
        return {"request": asked, "response": {"status": -1, "headers": [], "cookies": [], "redirectURL": "", "content": {}}}
    headers = _pairs(await response.headers_array())
    first = {one["name"].lower(): one["value"] for one in reversed(headers)}
    content = {"mimeType": first.get("content-type", "")}
    if "json" in content["mimeType"]:
        with suppress(Exception):  # the page moved on, and its answers are gone
            content["text"] = (await response.text())[:_LARGEST_BODY]
    answered = {
        "status": response.status,
        "headers": headers,
        "cookies": [_cookie(one["value"]) for one in headers if one["name"].lower() == "set-cookie"],
        "redirectURL": first.get("location", ""),
        "content": content,
    }
    return {"request": asked, "response": answered}


def _pairs(headers: Sequence[Any]) -> list[dict[str, str]]:
    return [{"name": one["name"], "value": one["value"]} for one in headers]


def _cookie(text: str) -> dict[str, str]:
    name, _, value = text.partition(";")[0].partition("=")
    return {"name": name.strip(), "value": value.strip()}
