"""The paths of protocol v1."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import metadata
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from agentgym_rl.environments.aio.worker_pool import WorkerPool
from agentgym_rl.environments.service.protocol import VERSION
from agentgym_rl.environments.service.protocol.batch import Batch, BatchAnswer, Closed
from agentgym_rl.environments.service.protocol.description import (
    EnvironmentDescription,
    EnvironmentSummary,
    Limits,
    ServerDescription,
    TaskPage,
    TaskRecord,
)
from agentgym_rl.environments.service.protocol.health import Health
from agentgym_rl.environments.service.protocol.problem import Code, FieldProblem, Problem, brief, problem
from agentgym_rl.environments.service.protocol.session import (
    ActionAnswer,
    ActionsAnswer,
    AskShortcut,
    CreateSession,
    ResetSession,
    SessionState,
    StepSession,
    TransitionAnswer,
)
from agentgym_rl.environments.service.server.answers import json_response, message_response
from agentgym_rl.environments.service.server.batch import carry_out
from agentgym_rl.environments.service.server.catalogue import Catalogue
from agentgym_rl.environments.service.server.guards import Queue
from agentgym_rl.environments.service.server.metrics import Metrics
from agentgym_rl.environments.service.server.sessions import Sessions
from agentgym_rl.environments.service.server.settings import ServeSettings
from agentgym_rl.environments.task_set import Split

PAGE = 10_000
"""Most tasks in a page."""

Options = Annotated[str, Query(max_length=10_000, description="Arguments of the world's constructor, as a JSON object.")]
Id = Annotated[str, Path(max_length=200)]
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description}
    for status, description in {
        400: "The request does not fit the protocol",
        401: "The token is missing or wrong",
        404: "No such environment, task or session",
        409: "A wrong number, or no running episode",
        413: "The request is too large",
        500: "The environment failed",
        503: "Busy: see Retry-After",
        504: "The environment took too long",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes work with."""

    settings: ServeSettings
    catalogue: Catalogue
    sessions: Sessions
    queue: Queue
    metrics: Metrics
    workers: WorkerPool | None


def routes(service: Service) -> APIRouter:
    """All paths."""
    router = APIRouter()
    router.include_router(about(service))
    router.include_router(_worlds(service))
    router.include_router(_sessions(service))
    return router


def about(service: Service) -> APIRouter:
    """Health and metrics."""
    router = APIRouter(tags=["server"])

    @router.get("/health", response_model=Health)
    async def health() -> Response:
        """Whether the server works, and how much it has to do."""
        return message_response(Health(sessions=len(service.sessions), workers=_pids(service)))

    @router.get("/metrics", responses={200: {"content": {"text/plain": {}}}, **PROBLEMS})
    async def metrics() -> Response:
        """Prometheus' text format."""
        replaced = 0 if service.workers is None else service.workers.replaced
        return Response(service.metrics.text(replaced), media_type="text/plain; version=0.0.4; charset=utf-8")

    return router


def _worlds(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["environments"], responses=PROBLEMS)

    @router.get("", response_model=ServerDescription)
    async def describe_server() -> Response:
        """What is served, and the limits."""
        return message_response(_description(service))

    @router.get("/environments/{environment}", response_model=EnvironmentDescription)
    async def describe_environment(environment: Id, options: Options = "{}") -> Response:
        """Instructions, actions, splits and categories of a world."""
        world = await service.catalogue.find(environment, _options(options))
        return message_response(world.description)

    @router.get("/environments/{environment}/tasks", response_model=TaskPage)
    async def list_tasks(
        environment: Id,
        split: Split,
        offset: Annotated[int, Query(ge=0, le=2**53)] = 0,
        limit: Annotated[int, Query(ge=1, le=PAGE)] = 1000,
        options: Options = "{}",
    ) -> Response:
        """A page of the tasks of a split, in their order."""
        found = (await service.catalogue.find(environment, _options(options))).tasks[split]
        page = [TaskRecord.of(found[place]) for place in range(offset, min(offset + limit, len(found)))]
        return message_response(TaskPage(total=len(found), offset=offset, tasks=page))

    return router


def _sessions(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["sessions"], responses=PROBLEMS)
    sessions = service.sessions

    @router.post("/sessions", response_model=SessionState, status_code=201)
    async def create(request: CreateSession) -> Response:
        """Open a session."""
        return message_response(await sessions.create(request), 201)

    @router.get("/sessions/{session}", response_model=SessionState)
    async def renew(session: Id) -> Response:
        """What there is to know of a session. As every use, it renews the lease."""
        return message_response(sessions.state(sessions.find(session)))

    @router.post("/sessions/{session}/reset", response_model=TransitionAnswer)
    async def reset(session: Id, request: ResetSession) -> Response:
        """Begin an episode."""
        return json_response(await act(service, session, request))

    @router.post("/sessions/{session}/step", response_model=TransitionAnswer)
    async def step(session: Id, request: StepSession) -> Response:
        """Take one action."""
        return json_response(await act(service, session, request))

    @router.get("/sessions/{session}/admissible_actions", response_model=ActionsAnswer)
    async def admissible_actions(session: Id) -> Response:
        """The admissible actions of the present state."""
        return json_response(await sessions.find(session).admissible_actions())

    @router.get(
        "/sessions/{session}/expert_action",
        response_model=ActionAnswer,
        responses={403: {"model": Problem, "description": "This server does not tell"}},
    )
    async def expert_action(session: Id) -> Response:
        """The oracle's next action, from a server that was started with --allow-expert."""
        if not service.settings.allow_expert:
            raise problem(Code.EXPERT_NOT_ALLOWED, "start the server with --allow-expert to be told")
        return json_response(await sessions.find(session).expert_action())

    @router.post("/sessions/{session}/shortcut_action", response_model=ActionAnswer)
    async def shortcut_action(session: Id, request: AskShortcut) -> Response:
        """The next action of a cheap heuristic."""
        return json_response(await sessions.find(session).shortcut_action(request))

    @router.delete("/sessions/{session}", response_model=Closed)
    async def close(session: Id) -> Response:
        """End a session. Closing one that does not exist (any more) is no problem."""
        return message_response(Closed(closed=await sessions.close(session)))

    @router.post("/batch", response_model=BatchAnswer)
    async def batch(request: Batch) -> Response:
        """Several operations at once; each has an answer or a problem of its own."""
        most = service.settings.batch
        if len(request.operations) > most:
            allowed = f"{most} operations at most"
            field = FieldProblem(field="body.operations", value=f"{len(request.operations)} operations", allowed=allowed)
            raise problem(Code.TOO_LARGE, f"a batch has {allowed}", fields=[field])
        service.queue.enter(len(request.operations))
        try:
            return json_response(await carry_out(request, sessions))
        finally:
            service.queue.leave(len(request.operations))

    return router


async def act(service: Service, id: str, request: ResetSession | StepSession) -> bytes:
    """Carries a call of a session out: its answer. Raises ProblemRaised."""
    service.queue.enter()
    try:
        session = service.sessions.find(id)
        try:
            return await session.act(request)
        finally:
            service.sessions.renew(session)
    finally:
        service.queue.leave()


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        field = FieldProblem(field="query.options", value=brief(text), allowed="a JSON object")
        raise problem(Code.BAD_REQUEST, f"options={brief(text)} is no JSON object", fields=[field])
    return options


def _description(service: Service) -> ServerDescription:
    settings = service.settings
    worlds = service.catalogue.worlds.values()
    return ServerDescription(
        protocol=VERSION,
        version=metadata.version("agentgym-rl"),
        environments=[EnvironmentSummary(id=world.id, summary=world.description.summary) for world in worlds],
        allow_expert=settings.allow_expert,
        limits=Limits(
            sessions=settings.sessions,
            lease=settings.lease,
            create=settings.create_seconds,
            reset=settings.reset_seconds,
            step=settings.step_seconds,
            body_bytes=settings.body_bytes,
            batch=settings.batch,
            page=PAGE,
        ),
    )


def _pids(service: Service) -> list[int]:
    return [] if service.workers is None else service.workers.pids
