"""One session: a world, the number of the last call that acted, and what was answered to it."""

from __future__ import annotations

import asyncio

from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault, ResetNeeded, UnknownTask
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.service.protocol.message import to_json
from agentgym_rl.environments.service.protocol.problem import Code, FieldProblem, Problem, ProblemRaised, brief, problem
from agentgym_rl.environments.service.protocol.session import (
    ActionAnswer,
    ActionsAnswer,
    AskShortcut,
    ResetSession,
    StepSession,
    TransitionAnswer,
)
from agentgym_rl.environments.service.server.metrics import Metrics
from agentgym_rl.environments.service.server.served_world import ServedWorld


class Session:
    """Calls wait for each other, in the order of their arrival. Answers are JSON.

    After a fault the world is closed, and every further call is answered with that fault.
    """

    def __init__(self, id: str, world: ServedWorld, environment: AsyncEnvironment, metrics: Metrics) -> None:
        self.id = id
        self.world = world
        self.number = 0
        self._environment = environment
        self._metrics = metrics
        self._lock = asyncio.Lock()
        self._last: tuple[object, ...] = ()
        self._answer = b""
        self._fault: Problem | None = None

    @property
    def busy(self) -> bool:
        """Whether a call is under way."""
        return self._lock.locked()

    async def act(self, request: ResetSession | StepSession) -> bytes:
        """Carries a numbered call out, or tells once more what its number led to.

        Raises:
            ProblemRaised: a wrong number, an unknown task, no running episode, a fault.
        """
        async with self._lock:
            if self._last and request.number == self.number:
                return self._repeat(request)
            self._check_number(request.number)
            self.check()
            try:
                transition = await self._do(request)
                answer = to_json(TransitionAnswer.of(request.number, transition).model_dump())
            except (UnknownTask, ResetNeeded) as error:
                code = Code.UNKNOWN_TASK if isinstance(error, UnknownTask) else Code.EPISODE_OVER
                raise problem(code, str(error.args[0])) from error
            except EnvironmentFault as fault:
                raise await self._failed(request, fault) from fault
            except (TypeError, ValueError) as error:
                unsendable = EnvironmentFault(f"{self.world.id}: the world's answer can't be sent: {error}")
                raise await self._failed(request, unsendable) from error
            self.number, self._last, self._answer = request.number, _content(request), answer
            self._metrics.acted(self.world.id, "reset" if isinstance(request, ResetSession) else "step")
            return answer

    async def admissible_actions(self) -> bytes:
        """Raises ProblemRaised: see :meth:`act`."""
        async with self._lock, _Asking(self):
            return to_json(ActionsAnswer(actions=await self._environment.admissible_actions()).model_dump())

    async def expert_action(self) -> bytes:
        """Raises ProblemRaised: see :meth:`act`."""
        async with self._lock, _Asking(self):
            return to_json(ActionAnswer(action=await self._environment.expert_action()).model_dump())

    async def shortcut_action(self, request: AskShortcut) -> bytes:
        """Raises ProblemRaised: see :meth:`act`; also an unknown shortcut."""
        known = self.world.description.shortcuts
        if request.name not in known:
            fields = [FieldProblem(field="body.name", value=brief(request.name), allowed=", ".join(known) or "none")]
            raise problem(Code.BAD_REQUEST, f"{self.world.id} has no shortcut {brief(request.name)}", fields=fields)
        async with self._lock, _Asking(self):
            action = await self._environment.shortcut_action(request.name, request.seed)
            return to_json(ActionAnswer(action=action).model_dump())

    async def close(self) -> None:
        """Ends the session: after the call under way, if there is one."""
        async with self._lock:
            if self._fault is None:
                self._fault = problem(Code.UNKNOWN_SESSION, f"session {self.id} was closed").problem
                await self._environment.close()

    async def _do(self, request: ResetSession | StepSession) -> Transition:
        if isinstance(request, StepSession):
            return await self._environment.step(request.action, admissible=request.admissible)
        task = self.world.task(request.task)
        return await self._environment.reset(task, request.seed, admissible=request.admissible)

    def _repeat(self, request: ResetSession | StepSession) -> bytes:
        if _content(request) != self._last:
            detail = f"number {request.number} was taken by another call, with other content"
            raise problem(Code.WRONG_NUMBER, detail, fields=[self._number_problem(request.number)])
        self.check()
        return self._answer

    def _check_number(self, number: int) -> None:
        if number != self.number + 1:
            detail = f"number {number} is {'old' if number <= self.number else 'not the next one'}"
            raise problem(Code.WRONG_NUMBER, detail, fields=[self._number_problem(number)])

    def _number_problem(self, number: int) -> FieldProblem:
        allowed = f"{self.number + 1}" + (f"; or {self.number} to repeat the last call as it was" if self.number else "")
        return FieldProblem(field="body.number", value=str(number), allowed=allowed)

    async def _failed(self, request: ResetSession | StepSession, fault: EnvironmentFault) -> ProblemRaised:
        self.number, self._last, self._answer = request.number, _content(request), b""
        return await self.failed(fault)

    async def failed(self, fault: EnvironmentFault) -> ProblemRaised:
        """The world is done for: remembers why and closes it."""
        code = Code.TIME_OUT if isinstance(fault, DeadlinePassed) else Code.ENVIRONMENT_FAULT
        raised = problem(code, str(fault))
        self._fault = raised.problem
        self._metrics.fault(self.world.id, code, self.id, str(fault))
        await self._environment.close()
        return raised

    def check(self) -> None:
        """Raises the problem that this session ended with."""
        if self._fault is not None:
            raise ProblemRaised(self._fault)


def _content(request: ResetSession | StepSession) -> tuple[object, ...]:
    """What makes two calls the same one."""
    if isinstance(request, ResetSession):
        return ("reset", request.task, request.seed, request.admissible)
    return ("step", request.action, request.admissible)


class _Asking:
    """A call that only asks: needs a world that works, and makes problems of its exceptions."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def __aenter__(self) -> None:
        self._session.check()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, ResetNeeded):
            raise problem(Code.EPISODE_OVER, str(error)) from error
        if isinstance(error, EnvironmentFault):
            raise await self._session.failed(error) from error
