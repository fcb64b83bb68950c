"""Which addresses a session may reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from urllib.parse import urlsplit

_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?")
_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


def check_hosts(hosts: Sequence[str]) -> None:
    """Refuses what is neither ``host`` nor ``host:port``. Raises: ValueError."""
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise ValueError(f"host {host!r}: write it in lower case as host or host:port, without scheme and path")


def is_allowed(url: str, hosts: Sequence[str]) -> bool:
    """Whether a session with these hosts may load ``url``. Data and blob addresses reach nothing and are allowed."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme in ("data", "blob") or url == "about:blank":
        return True
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return False
    name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return name in hosts or f"{name}:{port or _DEFAULT_PORTS[parts.scheme]}" in hosts


def elsewhere(hosts: Sequence[str]) -> re.Pattern[str]:
    """Matches every http and websocket address that is not allowed. JavaScript reads the expression too."""
    allowed = []
    for host in hosts:
        name, port = _split(host)
        if port is None:
            allowed.append(rf"(?:https?|wss?)://{re.escape(name)}(?::\d+)?")
            continue
        allowed.append(rf"(?:https?|wss?)://{re.escape(host)}")
        for scheme, default in (("(?:http|ws)", 80), ("(?:https|wss)", 443)):
            if port == default:
                allowed.append(rf"{scheme}://{re.escape(name)}")
    inside = "|".join(allowed) or "(?!)"
    return re.compile(rf"^(?!(?:{inside})(?:[/?#]|$))(?:https?|wss?|ftp):", re.IGNORECASE)


def suspects(hosts: Sequence[str]) -> list[str]:
    """Patterns of Chromium's ``Fetch`` (``*`` is any text) for the addresses of these hosts at other ports.

    Every such address matches one. Few allowed ones do, so that the browser asks about few: patterns can't say *not*, so they
    list the digits with which an allowed port does not go on.
    """
    ports: dict[str, set[int | None]] = {}
    for host in hosts:
        name, port = _split(host)
        ports.setdefault(name, set()).add(port)
    return [pattern for name, allowed in ports.items() if None not in allowed for pattern in _other_ports(name, allowed)]


def _other_ports(name: str, allowed: Set[int | None]) -> Iterator[str]:
    for scheme, default in _DEFAULT_PORTS.items():
        if default not in allowed:
            yield f"{scheme}://*{name}/*"
    texts = {str(port) for port in allowed}
    begun = {text[:length] for text in texts for length in range(len(text) + 1)}
    for beginning in sorted(begun):
        if beginning and beginning not in texts:
            yield f"*{name}:{beginning}/*"
        yield from (f"*{name}:{beginning}{digit}*" for digit in range(10) if f"{beginning}{digit}" not in begun)


def resolver_rules(hosts: Sequence[str]) -> str:
    """Chromium's ``--host-resolver-rules`` under which no other name is looked up, by whatever part of the browser."""
    names = dict.fromkeys(_split(host)[0].strip("[]") for host in hosts)
    return ", ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {name}" for name in names)])


def _split(host: str) -> tuple[str, int | None]:
    name, colon, port = host.rpartition(":")
    return (name, int(port)) if colon and port.isdigit() and not host.endswith("]") else (host, None)
