"""The server as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import metadata
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from agentgym_rl.environments.aio.worker_pool import Recycling, WorkerPool
from agentgym_rl.environments.service.protocol import VERSION
from agentgym_rl.environments.service.protocol.problem import ProblemRaised
from agentgym_rl.environments.service.server import answers
from agentgym_rl.environments.service.server.catalogue import Catalogue
from agentgym_rl.environments.service.server.guards import BoundedBody, Queue, Timed, TokenRequired
from agentgym_rl.environments.service.server.listening import MEBIBYTE
from agentgym_rl.environments.service.server.metrics import Metrics
from agentgym_rl.environments.service.server.openapi import describe_with_problems
from agentgym_rl.environments.service.server.routes import Service, routes
from agentgym_rl.environments.service.server.sessions import Sessions
from agentgym_rl.environments.service.server.settings import ServeSettings


def make_app(settings: ServeSettings) -> FastAPI:
    """The application that speaks protocol v1.

    Raises: as :class:`~agentgym_rl.environments.service.server.served_world.ServedWorld`.
    """
    return app_of(settings, Catalogue(settings.environments, settings.create_seconds, settings.options), routes)


def app_of(settings: ServeSettings, catalogue: Catalogue, routes: Callable[[Service], APIRouter]) -> FastAPI:
    """An application over the worlds of a catalogue; its lifespan starts the workers, and ends sessions and workers."""
    metrics = Metrics()
    workers = _workers(settings)
    sessions = Sessions(settings, catalogue, workers, metrics)
    service = Service(settings, catalogue, sessions, Queue(settings.queue), metrics, workers)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if workers is not None:
            await workers.start()
        expiring = asyncio.create_task(sessions.expire())
        try:
            yield
        finally:
            expiring.cancel()
            with suppress(asyncio.CancelledError):
                await expiring
            await sessions.close_all()
            if workers is not None:
                await workers.close()

    app = FastAPI(
        title="AgentGym-RL environments",
        version=metadata.version("agentgym-rl"),
        description=f"Protocol v{VERSION}: worlds for language-model agents, over HTTP and JSON.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        middleware=_middleware(settings, metrics),
        exception_handlers=_handlers(),
    )
    app.include_router(routes(service))
    describe_with_problems(app, token=settings.token is not None)
    return app


def _workers(settings: ServeSettings) -> WorkerPool | None:
    if settings.workers == 0:
        return None
    memory = None if settings.worker_memory_mib is None else settings.worker_memory_mib * MEBIBYTE
    return WorkerPool(settings.workers, Recycling(settings.worker_episodes, memory))


def _middleware(settings: ServeSettings, metrics: Metrics) -> list[Middleware]:
    """From the outermost to the innermost."""
    found = [Middleware(Timed, answered=metrics.answered)]
    if settings.cors_origins:
        found.append(
            Middleware(CORSMiddleware, allow_origins=settings.cors_origins, allow_methods=["*"], allow_headers=["*"])
        )
    if settings.token is not None:
        found.append(Middleware(TokenRequired, token=settings.token.get_secret_value()))
    found.append(Middleware(BoundedBody, most=settings.body_bytes))
    return found


def _handlers() -> dict[Any, Any]:
    return {
        ProblemRaised: answers.on_problem,
        RequestValidationError: answers.on_invalid,
        HTTPException: answers.on_http_error,
        Exception: answers.on_bug,
    }
