"""A map with OpenStreetMap's addresses: a search with results, directions between two places."""

from __future__ import annotations

import html
from typing import Any

from .server import Request, Response
from .site import Site, route

_ENGINES = ("Bicycle (OSRM)", "Car (OSRM)", "Foot (OSRM)")


class Map(Site):
    name = "map"
    title = "OpenStreetMap"

    def initial(self) -> dict[str, Any]:
        return {"places": ["Carnegie Mellon University", "Carnegie Museum of Art", "Independence Hall, Philadelphia"]}

    @route("GET", "/")
    def home(self, _request: Request) -> Response:
        return self.page(self.title, self._search_form())

    @route("GET", "/search")
    def search(self, request: Request) -> Response:
        wanted = request.query.get("query", "")
        words = {word for word in wanted.lower().split() if len(word) > 3}
        found = [place for place in self.state["places"] if words & set(place.lower().replace(",", "").split())]
        listed = "".join(f"<li>{place}</li>" for place in found) or "<li>No results found</li>"
        return self.page("Search", f"{self._search_form()}<h2>Search Results</h2><ul>{listed}</ul>")

    @route("GET", "/directions")
    def directions(self, request: Request) -> Response:
        start, end, engine = (html.escape(request.query.get(name, "")) for name in ("route_from", "route_to", "engine"))
        options = "".join(
            f'<option value="{place}"{" selected" if str(place) == engine else ""}>{name}</option>'
            for place, name in enumerate(_ENGINES)
        )
        found = "<p>Distance: 13km. Time: 0:12.</p>" if start and end else ""
        body = (
            f'<div id="content"><form><label>By <select name="engine" class="routing_engines">{options}</select></label>'
            f'<label>From <input name="route_from" value="{start}"></label>'
            f'<label>To <input name="route_to" value="{end}"></label><button>Go</button></form>{found}</div>'
        )
        return self.page("Directions", body)

    def _search_form(self) -> str:
        return (
            '<form action="/search"><label>Search <input name="query"></label><button>Go</button></form>'
            '<a href="/directions">Find directions between two points</a>'
        )
