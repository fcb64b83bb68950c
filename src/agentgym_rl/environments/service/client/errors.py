"""Problems as the exceptions that the contract of environments knows."""

from __future__ import annotations

from agentgym_rl.environments.errors import (
    DeadlinePassed,
    EnvironmentFault,
    ResetNeeded,
    UnknownEnvironment,
    UnknownTask,
)
from agentgym_rl.environments.service.protocol import TOKEN_VARIABLE
from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised


def exception_of(raised: ProblemRaised, address: str) -> Exception:
    """What the same mishap raises in process; all that can't happen there is a fault."""
    problem = raised.problem
    match problem.code:
        case Code.UNKNOWN_ENVIRONMENT | Code.NOT_FOUND:
            return UnknownEnvironment(f"{address}: {problem.detail}")
        case Code.UNKNOWN_TASK:
            return UnknownTask(problem.detail)
        case Code.EPISODE_OVER:
            return ResetNeeded(problem.detail)
        case Code.BAD_REQUEST if any(field.field == "options" for field in problem.fields):
            return ValueError(problem.detail)
        case Code.TIME_OUT:
            return DeadlinePassed(f"{address}: {problem.detail}")
        case Code.UNAUTHORISED:
            return EnvironmentFault(
                f"{address} wants a token: set {TOKEN_VARIABLE} to the one that the server was started with"
            )
        case _:
            return EnvironmentFault(f"{address}: {problem.detail} ({problem.code})")
