"""What went wrong, as problem details (RFC 9457) with a code that programs can tell apart."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from agentgym_rl.environments.service.protocol.message import Answer

MEDIA_TYPE = "application/problem+json"
_LONGEST_VALUE = 120


class Code(StrEnum):
    """The kinds of problems. Every one has its HTTP status in :data:`STATUS`."""

    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    UNAUTHORISED = "unauthorised"
    EXPERT_NOT_ALLOWED = "expert_not_allowed"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    UNKNOWN_ENVIRONMENT = "unknown_environment"
    UNKNOWN_TASK = "unknown_task"
    UNKNOWN_SESSION = "unknown_session"
    WRONG_NUMBER = "wrong_number"
    EPISODE_OVER = "episode_over"
    BUSY = "busy"
    ENVIRONMENT_FAULT = "environment_fault"
    TIME_OUT = "time_out"
    INTERNAL = "internal"


STATUS: dict[Code, int] = {
    Code.BAD_REQUEST: 400,
    Code.TOO_LARGE: 413,
    Code.UNAUTHORISED: 401,
    Code.EXPERT_NOT_ALLOWED: 403,
    Code.NOT_FOUND: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.UNKNOWN_ENVIRONMENT: 404,
    Code.UNKNOWN_TASK: 404,
    Code.UNKNOWN_SESSION: 404,
    Code.WRONG_NUMBER: 409,
    Code.EPISODE_OVER: 409,
    Code.BUSY: 503,
    Code.ENVIRONMENT_FAULT: 500,
    Code.TIME_OUT: 504,
    Code.INTERNAL: 500,
}

_TITLES: dict[Code, str] = {
    Code.BAD_REQUEST: "The request does not fit the protocol",
    Code.TOO_LARGE: "The request is too large",
    Code.UNAUTHORISED: "The token is missing or wrong",
    Code.EXPERT_NOT_ALLOWED: "This server does not tell the oracle's actions",
    Code.NOT_FOUND: "There is nothing at this path",
    Code.METHOD_NOT_ALLOWED: "This path has other methods",
    Code.UNKNOWN_ENVIRONMENT: "No environment of that id is served here",
    Code.UNKNOWN_TASK: "No task of that id",
    Code.UNKNOWN_SESSION: "The session does not exist, or its lease has expired",
    Code.WRONG_NUMBER: "The call's number is not the next one",
    Code.EPISODE_OVER: "No episode is running",
    Code.BUSY: "The server is busy",
    Code.ENVIRONMENT_FAULT: "The environment failed",
    Code.TIME_OUT: "The environment took too long",
    Code.INTERNAL: "The server has a bug",
}


class FieldProblem(Answer):
    """One field that is wrong."""

    field: str
    """Its path in the request, such as ``body.number``."""
    value: str
    """What it was, shortened."""
    allowed: str
    """What it may be."""


class Problem(Answer):
    """The body of every answer that is not a success."""

    type: str
    """``urn:agentgym-rl:problem:`` and the code."""
    title: str
    status: int
    code: Code
    detail: str
    fields: list[FieldProblem] = Field(default_factory=list)
    retry_after: float | None = None
    """With ``busy``: try again after so many seconds."""


class ProblemRaised(Exception):
    """Carries a problem to whoever makes the answer, or from an answer to whoever asked."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.detail}")
        self.problem = problem


def problem(
    code: Code, detail: str, *, fields: list[FieldProblem] | None = None, retry_after: float | None = None
) -> ProblemRaised:
    """A problem to be raised."""
    return ProblemRaised(
        Problem(
            type=f"urn:agentgym-rl:problem:{code}",
            title=_TITLES[code],
            status=STATUS[code],
            code=code,
            detail=detail,
            fields=fields or [],
            retry_after=retry_after,
        )
    )


def brief(value: object) -> str:
    """A value as a person would want to see it in a message: on one line, not too long, printable."""
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}… ({len(text)} characters)"
