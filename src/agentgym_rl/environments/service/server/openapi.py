"""The description of the protocol that ``GET /openapi.json`` gives."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from agentgym_rl.environments.service.protocol.problem import MEDIA_TYPE
from agentgym_rl.environments.service.server.guards import OPEN_PATHS


def describe_with_problems(app: FastAPI, *, token: bool) -> None:
    """Sets the app's description right where FastAPI can't know: problems have a media type of their own, wrong requests
    are answered with 400, and where a ``token`` is needed.
    """
    made: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not made:
            made.update(get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes))
            for path, operations in made["paths"].items():
                for operation in operations.values():
                    _set_right(operation, secured=token and path not in OPEN_PATHS)
            if token:
                made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        return made

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way


def _set_right(operation: dict[str, Any], *, secured: bool) -> None:
    operation["responses"].pop("422", None)
    for status, response in operation["responses"].items():
        if status >= "400" and "content" in response:
            response["content"] = {MEDIA_TYPE: response["content"]["application/json"]}
    if secured:
        operation["security"] = [{"token": []}]
