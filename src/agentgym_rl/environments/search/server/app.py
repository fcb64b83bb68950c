"""The server as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.search.retrieval import Hit, Retriever
from agentgym_rl.environments.search.server.messages import Query
from agentgym_rl.environments.search.server.settings import RetrievalSettings
from agentgym_rl.environments.service.protocol.message import to_json
from agentgym_rl.environments.service.protocol.problem import Code, Problem, ProblemRaised, problem
from agentgym_rl.environments.service.server import answers
from agentgym_rl.environments.service.server.guards import BoundedBody, Queue, TokenRequired
from agentgym_rl.environments.service.server.openapi import describe_with_problems

THREADS = 32
"""Requests that are worked at together: more than cores, because those of a batching retriever mostly wait for one another."""


class Retrieval:
    """Asks a retriever from an event loop: on threads, bounded in number and time."""

    def __init__(self, retriever: Retriever, settings: RetrievalSettings) -> None:
        self._retriever = retriever
        self._settings = settings
        self._queue = Queue(settings.queue)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="retrieval")

    async def answer(self, queries: list[str], topk: int) -> list[list[Hit]]:
        """Raises ProblemRaised: too many, too busy, too slow, or the retriever is gone."""
        self._queue.enter(len(queries))
        asked = self._threads.submit(self._retriever.retrieve, queries, topk)
        loop = asyncio.get_running_loop()
        asked.add_done_callback(lambda _: loop.call_soon_threadsafe(self._queue.leave, len(queries)))
        try:
            async with asyncio.timeout(self._settings.seconds):
                return await asyncio.wrap_future(asked)
        except TimeoutError:
            raise problem(Code.TIME_OUT, f"no answer within {self._settings.seconds:g} s") from None
        except DeadlinePassed as fault:
            raise problem(Code.TIME_OUT, str(fault)) from fault
        except EnvironmentFault as fault:
            raise problem(Code.ENVIRONMENT_FAULT, str(fault)) from fault

    async def close(self) -> None:
        """Lets the calls that have begun end."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)


def make_retrieval_app(settings: RetrievalSettings, retriever: Retriever) -> FastAPI:
    """The application. Whoever opened the retriever closes it, when the application has ended."""
    retrieval = Retrieval(retriever, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await retrieval.close()

    app = FastAPI(
        title="AgentGym-RL retrieval",
        version=metadata.version("agentgym-rl"),
        description="Search-R1's retrieval API.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        middleware=_middleware(settings),
        exception_handlers=_handlers(),
        responses={status: {"model": Problem} for status in (400, 401, 413, 500, 503, 504)},
    )

    @app.get("/health")
    async def health() -> Response:
        """What answers."""
        return answers.json_response(to_json({"status": "ok", "retriever": retriever.identity}))

    @app.post("/retrieve")
    async def retrieve(query: Query) -> Response:
        """The best passages of each query: ``{"result": [[document, …], …]}``."""
        topk = query.topk or settings.topk
        if not 1 <= topk <= settings.most_topk:
            raise problem(Code.BAD_REQUEST, f"topk={topk}: 1 to {settings.most_topk} hits a query")
        if len(query.queries) > settings.most_queries:
            raise problem(Code.BAD_REQUEST, f"{len(query.queries)} queries: {settings.most_queries} a request at most")
        found = await retrieval.answer(query.queries, topk)
        shown = _scored if query.return_scores else _document
        return answers.json_response(to_json({"result": [[shown(hit) for hit in hits] for hits in found]}))

    describe_with_problems(app, token=settings.token is not None)
    return app


def _document(hit: Hit) -> dict[str, Any]:
    return {"id": hit.passage.id, "contents": hit.passage.contents}


def _scored(hit: Hit) -> dict[str, Any]:
    return {"document": _document(hit), "score": hit.score}


def _middleware(settings: RetrievalSettings) -> list[Middleware]:
    found = [] if settings.token is None else [Middleware(TokenRequired, token=settings.token.get_secret_value())]
    return [*found, Middleware(BoundedBody, most=settings.body_bytes)]


def _handlers() -> dict[Any, Any]:
    return {
        ProblemRaised: answers.on_problem,
        RequestValidationError: answers.on_invalid,
        HTTPException: answers.on_http_error,
        Exception: answers.on_bug,
    }
