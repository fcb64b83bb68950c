"""One episode's addresses: the task file's placeholders, the replicas' real ones, and what the agent is shown.

Replicas of a site look alike: the agent sees WebArena's usual names (``http://onestopmarket.com``) wherever the site is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from agentgym_rl.environments.web.webarena.catalog import KINDS

_END = r"(?![\w-]|\.\w|:\d)"
"""After an address's last letter: ``http://host:77`` is not in ``http://host:7770``."""


class Addresses:
    """``real`` maps the episode's sites to their replicas' addresses, without a final slash."""

    def __init__(self, real: Mapping[str, str]) -> None:
        self.real = dict(real)
        shown = {url: KINDS[site].shown for site, url in real.items()}
        # Hosts without a scheme too, as in the browser's notes; a bare name could be any word of a page.
        hosts = {urlsplit(url).netloc: urlsplit(name).netloc for url, name in shown.items()}
        self._shown = _Replacement({**{host: name for host, name in hosts.items() if ":" in host}, **shown})
        self._meant = _Replacement({name: url for url, name in shown.items()})

    def filled(self, text: str) -> str:
        """``text`` with every placeholder of the episode's sites replaced."""
        for site, url in self.real.items():
            text = text.replace(KINDS[site].placeholder, url)
        return text

    def shown(self, text: str) -> str:
        """``text`` with real addresses as the agent sees them."""
        return self._shown(text)

    def meant(self, text: str) -> str:
        """``text`` of the agent's with the addresses it saw made real."""
        return self._meant(text)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Hosts with ports, as the browser's settings want them."""
        return tuple(dict.fromkeys(host_of(url) for url in self.real.values()))

    @property
    def names(self) -> list[str]:
        """What the agent may open, as it is shown."""
        return [KINDS[site].shown for site in self.real]


def host_of(url: str) -> str:
    """``host:port`` of an address, in lower case, with the scheme's own port where it names none."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


class _Replacement:
    """Replaces whole addresses, the longest that fits: an admin page's often begins with that of another site."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        self._pairs = {before.lower(): after for before, after in pairs.items()}
        longest_first = sorted(self._pairs, key=len, reverse=True)
        alternatives = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<![\w.-])(?:{alternatives}){_END}", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        return self._pattern.sub(lambda found: self._pairs[found[0].lower()], text)
