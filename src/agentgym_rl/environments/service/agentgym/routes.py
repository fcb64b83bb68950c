"""The published paths."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from agentgym_rl.environments.service.agentgym.messages import LARGEST, Close, Reset, Step
from agentgym_rl.environments.service.agentgym.places import Places
from agentgym_rl.environments.service.agentgym.published import Published
from agentgym_rl.environments.service.protocol.message import to_json
from agentgym_rl.environments.service.server.answers import json_response
from agentgym_rl.environments.service.server.routes import PROBLEMS, Service, about

Number = Annotated[int, Query(alias="id", ge=0, le=LARGEST)]


def routes(service: Service, published: Published) -> APIRouter:
    """All paths; health and metrics too. Failures have statuses of their own, which clients take for failures as well."""
    places = Places(service, published)
    router = APIRouter(responses=PROBLEMS)
    router.include_router(about(service))

    @router.get("/", responses={200: {"model": str}})
    async def greet() -> Response:
        """Whether the server works."""
        return _answer(published.greeting)

    @router.post("/create")
    async def create() -> Response:
        """A new environment."""
        number = await places.create()
        if not published.begins:
            return _answer({"id": number})
        return _answer({"id": number, **published.began(await places.reset(number, number))})

    @router.post("/reset")
    async def reset(request: Reset) -> Response:
        """Begin an episode at an item."""
        seen = await places.reset(request.id, request.data_idx)
        return _answer({"id": request.id, **published.began(seen)})

    @router.post("/step")
    async def step(request: Step) -> Response:
        """Take one action."""
        return _answer(published.stepped(await places.step(request.id, request.action)))

    @router.get("/observation")
    async def observation(number: Number) -> Response:
        """The last observation."""
        return _answer(published.observation(places.seen(number)))

    @router.get("/detail")
    async def detail(number: Number) -> Response:
        """The last answer."""
        return _answer({**published.stepped(places.seen(number)), "deleted": False})

    @router.post("/close")
    async def close(request: Close) -> Response:
        """Free an environment: whether there was one."""
        return _answer(await places.close(request.id))

    return router


def _answer(content: Any) -> Response:
    return json_response(to_json(content))
