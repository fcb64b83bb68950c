"""The sites that WebArena's tasks play on, as the benchmark names them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of site, whoever hosts it and however often."""

    name: str
    """As in the task files: ``shopping_admin``."""
    category: str
    """The column of the results that its tasks count in; empty for sites that only go with another."""
    shown: str
    """The address that the agent sees, whatever the replica's real one is: WebArena's own choice of names."""
    health: str = "/"
    """A page that answers when the site is up; empty: the address itself, which may be a page."""
    sign: str = ""
    """Text on that page by which the kind of site is known, where no login tells."""

    @property
    def placeholder(self) -> str:
        """What stands for the site's address in the task files: ``__SHOPPING_ADMIN__``."""
        return f"__{self.name.upper()}__"

    @property
    def variables(self) -> tuple[str, str]:
        """The environment variables that may give its address, the first one set counts."""
        return self.name.upper(), f"WA_{self.name.upper()}"


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("shopping", "Shopping", "http://onestopmarket.com", "/customer/account/login"),
        Kind("shopping_admin", "CMS", "http://luma.com/admin"),
        Kind("map", "Maps", "http://openstreetmap.org", sign="OpenStreetMap"),
        Kind("gitlab", "GitLab", "http://gitlab.com", "/users/sign_in"),
        Kind("reddit", "Reddit", "http://reddit.com", "/login"),
        Kind("wikipedia", "", "http://wikipedia.org", health=""),
        Kind("homepage", "", "http://homepage.com", health=""),
    )
}

CATEGORIES = tuple(kind.category for kind in KINDS.values() if kind.category)


def category_of(sites: tuple[str, ...]) -> str:
    """The column of a task on these sites: that of the first one that has a column."""
    return next(KINDS[site].category for site in sites if KINDS[site].category)


def site_of_placeholder(text: str) -> str | None:
    """The site whose placeholder ``text`` begins with."""
    return next((kind.name for kind in KINDS.values() if text.startswith(kind.placeholder)), None)
