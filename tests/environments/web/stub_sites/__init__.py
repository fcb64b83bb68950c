"""Small sites that look to a browser as WebArena's do: a shop, its dashboard, a forum, a code forge, a map.

    with Shop() as shop:
        browse(shop.url)

Each holds its whole content in one dictionary, :attr:`Site.state`, that :meth:`Site.initial` makes anew: a site is reset by that,
and what an episode changed is read from it. Fuller local sites can take their place one by one: what is used of them is this
class, addresses and markup.
"""

from .control import ControlService
from .dashboard import Dashboard
from .forge import Forge
from .forum import Forum
from .map import Map
from .shop import Shop
from .site import Request, Response, Site

__all__ = ["ControlService", "Dashboard", "Forge", "Forum", "Map", "Request", "Response", "Shop", "Site"]
