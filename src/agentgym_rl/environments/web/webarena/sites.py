"""Which sites the user hosts, and where: from the world's settings and from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from agentgym_rl.environments.web.webarena.catalog import KINDS, Kind

_FIELDS = ("url", "control", "reset")


@dataclass(frozen=True, slots=True)
class Replica:
    """One copy of a site."""

    site: str
    url: str
    """Without a final slash."""
    control: str | None = None
    """Address of the control service of its image."""
    reset: str | None = None
    """The user's command that resets it; ``{url}`` and ``{site}`` in it are filled in."""

    @property
    def kind(self) -> Kind:
        return KINDS[self.site]

    @property
    def resettable(self) -> bool:
        return self.control is not None or self.reset is not None


Sites = Mapping[str, tuple[Replica, ...]]
"""Replicas by the name of the site, in the catalogue's order."""


def read_sites(given: Any, environment: Mapping[str, str] = os.environ) -> Sites:
    """The sites there are. What a setting says of a site comes before what a variable says of it.

    Args:
        given: the setting ``sites``: ``{site: url | [url, ...] | {url, control, reset}}``, or None. An address of None leaves a
            site out that a variable gives.
        environment: ``SHOPPING`` or ``WA_SHOPPING`` and so on; several addresses are separated by commas.

    Raises:
        ValueError: an unknown site or field, or what is no address. Names the site.
    """
    if not isinstance(given, Mapping | None):
        raise ValueError(f"environment 'webarena': sites must map names to addresses, not {given!r}")
    given = given or {}
    if unknown := given.keys() - KINDS.keys():
        raise ValueError(
            f"environment 'webarena': there is no site {sorted(map(str, unknown))[0]!r}; known: {', '.join(KINDS)}"
        )
    found = {}
    for name, kind in KINDS.items():
        if name in given:
            replicas = _replicas(kind, given[name])
        else:
            variable = next((one for one in kind.variables if environment.get(one, "").strip()), None)
            replicas = () if variable is None else _listed(kind, environment[variable].split(","), f"${variable}")
        if replicas:
            found[name] = replicas
    taken: dict[str, str] = {}
    for replica in (one for replicas in found.values() for one in replicas):
        if replica.url in taken:
            raise ValueError(
                f"environment 'webarena': {replica.url} is given for {taken[replica.url]} and for {replica.site}"
            )
        taken[replica.url] = replica.site
    return found


def _replicas(kind: Kind, given: Any) -> tuple[Replica, ...]:
    where = f"sites.{kind.name}"
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        return _listed(kind, given, where)
    if unknown := given.keys() - set(_FIELDS):
        raise ValueError(
            f"environment 'webarena': {where} has no field {sorted(map(str, unknown))[0]!r}; known: {', '.join(_FIELDS)}"
        )
    urls = _addresses(given.get("url"), f"{where}.url")
    reset = given.get("reset")
    if reset is not None and not (isinstance(reset, str) and reset.strip()):
        raise ValueError(f"environment 'webarena': {where}.reset must be a command, not {reset!r}")
    controls: Sequence[str | None] = [None] * len(urls)
    if given.get("control") is not None:
        controls = _addresses(given["control"], f"{where}.control")
        if len(controls) != len(urls):
            raise ValueError(
                f"environment 'webarena': {where} has {len(urls)} addresses and {len(controls)} control addresses: "
                "give one for each"
            )
        if reset is not None:
            raise ValueError(f"environment 'webarena': {where} has both control and reset: keep one way of resetting it")
    return tuple(Replica(kind.name, url, control, reset) for url, control in zip(urls, controls, strict=True))


def _listed(kind: Kind, given: Any, where: str) -> tuple[Replica, ...]:
    return tuple(Replica(kind.name, url) for url in _addresses(given, where))


def _addresses(given: Any, where: str) -> list[str]:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not listed:
        raise ValueError(f"environment 'webarena': {where} must be an address or a list of addresses, not {given!r}")
    return [_address(one, where) for one in listed]


def _address(given: Any, where: str) -> str:
    text = given.strip().rstrip("/") if isinstance(given, str) else ""
    parts = urlsplit(text)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        usable = False
    if not usable or parts.query or parts.fragment:
        raise ValueError(f"environment 'webarena': {where} must be like http://host:7770, not {given!r}")
    if parts.username or parts.password:
        raise ValueError(
            f"environment 'webarena': {where} has credentials in its address; give them as the how-to for hosting says"
        )
    return text
