"""Several operations in one request. They run concurrently; those of one session in the order in which they are listed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agentgym_rl.environments.service.protocol.message import Answer, Request
from agentgym_rl.environments.service.protocol.problem import Problem
from agentgym_rl.environments.service.protocol.session import (
    ActionsAnswer,
    CreateSession,
    ResetSession,
    SessionState,
    StepSession,
    TransitionAnswer,
)

SessionId = Annotated[str, Field(max_length=64)]


class CreateOperation(CreateSession):
    kind: Literal["create"]


class ResetOperation(ResetSession):
    kind: Literal["reset"]
    session: SessionId


class StepOperation(StepSession):
    kind: Literal["step"]
    session: SessionId


class AdmissibleOperation(Request):
    kind: Literal["admissible_actions"]
    session: SessionId


class CloseOperation(Request):
    kind: Literal["close"]
    session: SessionId


Operation = Annotated[
    CreateOperation | ResetOperation | StepOperation | AdmissibleOperation | CloseOperation, Field(discriminator="kind")
]


class Batch(Request):
    operations: list[Operation]


class Closed(Answer):
    closed: bool
    """False: there was no such session any more."""


class OperationResult(Answer):
    """One of the two."""

    answer: SessionState | TransitionAnswer | ActionsAnswer | Closed | None = None
    problem: Problem | None = None


class BatchAnswer(Answer):
    results: list[OperationResult]
    """One for each operation, in their order."""
