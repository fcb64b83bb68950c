"""What a server tells of a world: description and tasks. Asked once a process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault
from agentgym_rl.environments.service.client.backoff import waits
from agentgym_rl.environments.service.client.errors import exception_of
from agentgym_rl.environments.service.client.http import Unreachable, segment
from agentgym_rl.environments.service.client.loop import pool_of, run
from agentgym_rl.environments.service.client.place import Place
from agentgym_rl.environments.service.client.prompt import Prompt
from agentgym_rl.environments.service.protocol.description import EnvironmentDescription, TaskPage
from agentgym_rl.environments.service.protocol.problem import Code, ProblemRaised
from agentgym_rl.environments.task_set import Split, TaskSet

SECONDS = 60.0
"""Deadline of each."""

Found = TypeVar("Found")


def describe(address: str, environment: str, options: Mapping[str, Any]) -> EnvironmentDescription:
    """The description of a world with these options.

    Raises:
        UnknownEnvironment: it is not served there.
        ValueError: options that it does not take.
        EnvironmentFault: the server does not answer.
    """
    return _description(address, environment, json.dumps(options, sort_keys=True))


def tasks(address: str, environment: str, options: Mapping[str, Any], split: Split) -> TaskSet:
    """The tasks of a split. Raises: as :func:`describe`."""
    return _tasks(address, environment, json.dumps(options, sort_keys=True), split)


def prompt_of(description: EnvironmentDescription) -> Prompt:
    """The part of it that models are told."""
    return Prompt(description.name, description.instructions, description.schema_of_actions())


@cache
def _description(address: str, environment: str, options: str) -> EnvironmentDescription:
    path = f"/v1/environments/{segment(environment)}"
    return run(
        _by_deadline(address, lambda place: place.ask(EnvironmentDescription, "GET", path, query={"options": options}))
    )


@cache
def _tasks(address: str, environment: str, options: str, split: Split) -> TaskSet:
    async def pages(place: Place) -> TaskSet:
        found: list[TaskPage] = []
        read = 0
        while not found or (read < found[0].total and found[-1].tasks):
            query = {"split": split, "offset": str(read), "options": options}
            found.append(await place.ask(TaskPage, "GET", f"/v1/environments/{segment(environment)}/tasks", query=query))
            read += len(found[-1].tasks)
        return TaskSet(record.task() for page in found for record in page.tasks)

    return run(_by_deadline(address, pages))


async def _by_deadline(address: str, attempt: Callable[[Place], Awaitable[Found]]) -> Found:
    place = pool_of(address).places[0]
    try:
        async with asyncio.timeout(SECONDS):
            return await _attempts(place, attempt)
    except TimeoutError:
        raise DeadlinePassed(f"{address} took longer than {SECONDS:g} s to describe its environments") from None
    except Unreachable as gone:
        raise EnvironmentFault(str(gone)) from gone
    except ProblemRaised as raised:
        raise exception_of(raised, address) from raised


async def _attempts(place: Place, attempt: Callable[[Place], Awaitable[Found]]) -> Found:
    for wait in waits():
        try:
            return await attempt(place)
        except Unreachable:
            if not place.circuit.closed:
                raise
        except ProblemRaised as raised:
            if raised.problem.code is not Code.BUSY:
                raise
        await asyncio.sleep(wait)
    raise AssertionError("the waits never end")
