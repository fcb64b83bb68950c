"""``http://HOST:PORT/ENV``: the address of a server and the name of a world there."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from agentgym_rl.environments.errors import UnknownEnvironment

SCHEMES = ("http://", "https://")


def is_address(id: str) -> bool:
    """Whether an environment's id names a world on a server."""
    return id.startswith(SCHEMES)


def split_address(id: str) -> tuple[str, str]:
    """``http://host:8001/textcraft`` → ``("http://host:8001", "textcraft")``.

    Raises:
        UnknownEnvironment: it is not of that form.
    """
    try:
        parts = urlsplit(id)
        good = bool(parts.hostname) and parts.port != 0 and not (parts.query or parts.fragment or parts.username)
    except ValueError:
        good = False
    server, _, world = id.rstrip("/").rpartition("/")
    if not good or server.endswith("/") or not is_address(server):
        raise UnknownEnvironment(f"environment {id!r}: give a served one as http://HOST:PORT/ENV")
    return server, unquote(world)


def check_server(address: str) -> str:
    """The address of a server, without a slash at its end.

    Raises:
        ValueError: it is none.
    """
    try:
        split_address(f"{address.rstrip('/')}/world")
    except UnknownEnvironment:
        raise ValueError(f"{address!r} is no server's address: write http://HOST:PORT") from None
    return address.rstrip("/")
