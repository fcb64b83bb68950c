"""A server in the published format as an ASGI application."""

from __future__ import annotations

import base64
import binascii
from functools import partial

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from agentgym_rl.environments.errors import UnknownEnvironment
from agentgym_rl.environments.service.agentgym.published import PublishedWorld
from agentgym_rl.environments.service.agentgym.routes import routes
from agentgym_rl.environments.service.agentgym.worlds import PUBLISHED
from agentgym_rl.environments.service.server.app import app_of
from agentgym_rl.environments.service.server.catalogue import Catalogue
from agentgym_rl.environments.service.server.settings import ServeSettings


def make_agentgym_app(settings: ServeSettings) -> FastAPI:
    """The application for the one world of ``settings``. Sessions, leases, workers and bounds are those of protocol v1.

    Raises:
        UnknownEnvironment: several worlds, or one that has no published format.
        MissingExtra: the world needs a package that is not installed.
    """
    if len(settings.environments) != 1 or settings.environments[0] not in PUBLISHED:
        known = " or ".join(PUBLISHED)
        raise UnknownEnvironment(f"--agentgym serves one environment, {known}, not {' '.join(settings.environments)}")
    published = PUBLISHED[settings.environments[0]]
    catalogue = Catalogue([], settings.create_seconds)
    catalogue.worlds[published.id] = PublishedWorld(published)
    app = app_of(settings, catalogue, partial(routes, published=published))
    if settings.token is not None:
        app.add_middleware(BasicIsBearer)
    return app


class BasicIsBearer:
    """The password of basic authentication counts as the token: published clients can send that one only, from an address
    ``http://any:TOKEN@HOST:PORT``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [(name, _bearer(name, value)) for name, value in scope["headers"]]}
        await self._app(scope, receive, send)


def _bearer(name: bytes, value: bytes) -> bytes:
    scheme, _, credentials = value.partition(b" ")
    if name != b"authorization" or scheme.lower() != b"basic":
        return value
    try:
        _, _, password = base64.b64decode(credentials, validate=True).partition(b":")
    except binascii.Error:
        return value
    return b"Bearer " + password
