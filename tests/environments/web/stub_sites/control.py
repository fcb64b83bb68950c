"""The control service inside the published images: ``POST /reset``, ``GET /status``."""

from __future__ import annotations

import json
from typing import Self

from .server import HttpServer, Request, Response
from .site import Site


class ControlService:
    """Resets a site, or says ``problem``."""

    def __init__(self, site: Site, problem: str = "") -> None:
        self._site = site
        self._problem = problem
        self._server = HttpServer(self._answer)

    @property
    def url(self) -> str:
        return self._server.address

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def _answer(self, request: Request) -> Response:
        if (request.method, request.path) not in (("POST", "/reset"), ("GET", "/status")):
            return Response("{}", 404, kind="application/json")
        if request.method == "POST" and not self._problem:
            self._site.reset()
        said = {"success": not self._problem, "message": self._problem or "done", "details": {}}
        return Response(json.dumps(said), kind="application/json")
