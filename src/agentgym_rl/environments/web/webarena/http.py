"""Short requests to sites, their control services and a judge: blocking, with a deadline and a size limit."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

_LARGEST = 8 * 2**20


class Unreachable(Exception):
    """No usable answer; the text says why, without the address."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status
        """The status, where there was an answer."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_to_sites = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_without_redirects = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
_through_proxies = urllib.request.build_opener()


def ask(
    url: str,
    *,
    method: str | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    seconds: float = 10.0,
    follow: bool = True,
    proxies: bool = False,
) -> str:
    """The text of the answer.

    Args:
        url: where.
        method: by default GET, POST with a body.
        body: sent as JSON.
        headers: besides the usual.
        seconds: deadline of each wait on the socket.
        follow: go where a redirect leads; else it is Unreachable with its status.
        proxies: use the proxies that the environment names, as for the internet; sites are asked directly.

    Raises:
        Unreachable: no connection, no answer in time, a status of 400 or more (300 or more without ``follow``), too much.
    """
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Accept": "*/*", **(headers or {})})
    if data is not None:
        request.add_header("Content-Type", "application/json")
    opener = _through_proxies if proxies else _to_sites if follow else _without_redirects
    try:
        with opener.open(request, timeout=seconds) as answer:
            content = answer.read(_LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise Unreachable(f"status {error.code}", error.code) from error
    except urllib.error.URLError as error:
        raise Unreachable(_reason(error.reason)) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_reason(error)) from error
    if len(content) > _LARGEST:
        raise Unreachable(f"an answer of more than {_LARGEST >> 20} MiB")
    return str(content.decode("utf-8", "replace"))


def _reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return " ".join(str(error).split()) or type(error).__name__
