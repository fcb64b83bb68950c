"""Serves the pages to this process's browser, on a loopback port of its own."""

from __future__ import annotations

import asyncio
import mimetypes
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from agentgym_rl.environments.web.browser.loop import at_end, owned

_SCRIPT = re.compile(r"""<script\s+(?:type=["']text/javascript["']\s+)?src=["']([^"']+)["']\s*>\s*</script>""")


class PageServer:
    """GET and HEAD of the files below a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._server: asyncio.Server | None = None
        self._lock = asyncio.Lock()
        at_end(self.close)

    async def address(self) -> str:
        """``127.0.0.1:PORT``; starts it at first use."""
        async with self._lock:
            if self._server is None:
                self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Idempotent."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await reader.readuntil(b"\r\n\r\n"):
                method, target, _ = request.split(b" ", 2)
                body = content(self._root, target.decode("latin-1")) if method in (b"GET", b"HEAD") else None
                kind = mimetypes.guess_type(urlsplit(target.decode("latin-1")).path)[0] or "application/octet-stream"
                status = "404 Not Found" if body is None else "200 OK"
                head = (
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {len(body or b'')}\r\n\r\n"
                )
                writer.write(head.encode() + (b"" if method == b"HEAD" else body or b""))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # the browser hung up, or does not speak HTTP
        finally:
            writer.close()


@lru_cache(maxsize=512)
def content(root: Path, target: str) -> bytes | None:
    """What is at an address; a page with its scripts inside, which saves it several requests. None: there is no such file."""
    path = (root / unquote(urlsplit(target).path).lstrip("/")).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        return None
    if path.suffix != ".html":
        return path.read_bytes()

    def inside(found: re.Match[str]) -> str:
        script = (path.parent / found[1]).resolve()
        if not script.is_relative_to(root) or not script.is_file():
            return found[0]
        source = script.read_text("utf-8")
        return found[0] if "</script" in source.lower() else f"<script>{source}\n</script>"

    return _SCRIPT.sub(inside, path.read_text("utf-8")).encode()


async def served(root: Path) -> str:
    """The address of this loop's server of ``root``."""
    server: PageServer = owned(f"pages of {root}", lambda: PageServer(root))
    return await server.address()
