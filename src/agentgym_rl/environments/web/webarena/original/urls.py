"""``url_match``: where the episode must end. The rule of the task files is called ``GOLD in PRED``."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from agentgym_rl.environments.web.webarena.original.answers import EITHER


def url_match(reference: str, address: str) -> float:
    """1 when the address has the host and path of an alternative, and a value of every query parameter that they ask for.

    ``reference`` has addresses, not placeholders. As in WebArena, a longer path passes where it contains a wanted one.
    """
    wanted = [_parts(one) for one in reference.split(EITHER)]
    place, query = _parts(address)
    if not any(path in place for path, _ in wanted):
        return 0.0
    names = {name for _, parameters in wanted for name in parameters}
    return float(all(_asked(name, [parameters for _, parameters in wanted], query) for name in names))


def _asked(name: str, wanted: Sequence[dict[str, list[str]]], query: dict[str, list[str]]) -> bool:
    values = {value for parameters in wanted for value in parameters.get(name, [])}
    return not values.isdisjoint(query.get(name, []))


def _parts(address: str) -> tuple[str, dict[str, list[str]]]:
    parts = urlsplit(address.strip().rstrip("/"))
    return parts.netloc + parts.path, parse_qs(parts.query)


def post_address(address: str, site: str) -> str:
    """The address of the Reddit post that ``address`` is about: a page below a post, shortened to it; else as it is."""
    base = site.rstrip("/")
    if not address.startswith(base):
        return address
    parts = address[len(base) :].split("/")
    if len(parts) < 4 or parts[1] != "f":
        return address
    return f"{base}/f/{parts[2]}/{parts[3]}/"
