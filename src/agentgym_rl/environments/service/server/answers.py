"""Responses: JSON that is made already, and problems."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from agentgym_rl.environments.service.protocol.message import to_json
from agentgym_rl.environments.service.protocol.problem import (
    MEDIA_TYPE,
    Code,
    FieldProblem,
    Problem,
    ProblemRaised,
    brief,
    problem,
)

log = logging.getLogger("agentgym_rl.service")

MOST_FIELDS = 20
"""So many wrong fields are named, the rest is left out."""


def json_response(body: bytes, status: int = 200) -> Response:
    """A success."""
    return Response(body, status, media_type="application/json")


def message_response(message: BaseModel, status: int = 200) -> Response:
    """A success."""
    return json_response(to_json(message.model_dump()), status)


def problem_response(found: Problem, *, close: bool = False) -> Response:
    """A problem; with ``close`` the connection ends, because the rest of the request is not read."""
    headers: dict[str, str] = {}
    if found.retry_after is not None:
        headers["Retry-After"] = str(math.ceil(found.retry_after))
    if found.code is Code.UNAUTHORISED:
        headers["WWW-Authenticate"] = "Bearer"
    if close:
        headers["Connection"] = "close"
    return Response(to_json(found.model_dump(mode="json")), found.status, headers, MEDIA_TYPE)


async def on_problem(_request: Request, raised: Exception) -> Response:
    assert isinstance(raised, ProblemRaised)
    return problem_response(raised.problem)


async def on_invalid(_request: Request, error: Exception) -> Response:
    """A request that the models refuse: each wrong field with its value and what is allowed."""
    assert isinstance(error, RequestValidationError)
    return problem_response(bad_request(error.errors()).problem)


async def on_http_error(_request: Request, error: Exception) -> Response:
    """What the framework refuses: no such path, no such method, a body that can't be read."""
    assert isinstance(error, HTTPException)
    code = {404: Code.NOT_FOUND, 405: Code.METHOD_NOT_ALLOWED}.get(error.status_code, Code.BAD_REQUEST)
    response = problem_response(problem(code, str(error.detail)).problem)
    response.headers.update(error.headers or {})
    return response


async def on_bug(request: Request, error: Exception) -> Response:
    """A bug of the server: a line in its log, nothing of it in the answer."""
    log.error("bug", exc_info=error, extra={"path": request.url.path})
    return problem_response(problem(Code.INTERNAL, "an internal error; the server's log has more").problem)


def bad_request(errors: Sequence[Any]) -> ProblemRaised:
    """The problem of Pydantic's list of errors."""
    fields = [
        FieldProblem(
            field=".".join(str(part) for part in error["loc"])[:200],
            value=brief(error.get("input")),
            allowed=_allowed(error),
        )
        for error in errors[:MOST_FIELDS]
    ]
    detail = "; ".join(f"{one.field}={one.value}: {one.allowed}" for one in fields[:3])
    return problem(Code.BAD_REQUEST, detail or "the request can't be read", fields=fields)


def _allowed(error: Any) -> str:
    context = error.get("ctx", {})
    reason = f" ({context['error']})" if "error" in context else ""
    return f"{error['msg']}{reason}"
