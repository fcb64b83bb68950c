"""A batch: its operations side by side, those of one session one after another."""

from __future__ import annotations

import asyncio

from agentgym_rl.environments.service.protocol.batch import (
    AdmissibleOperation,
    Batch,
    Closed,
    CloseOperation,
    CreateOperation,
    Operation,
)
from agentgym_rl.environments.service.protocol.message import to_json
from agentgym_rl.environments.service.protocol.problem import ProblemRaised
from agentgym_rl.environments.service.server.sessions import Sessions


async def carry_out(batch: Batch, sessions: Sessions) -> bytes:
    """The JSON of a BatchAnswer."""
    queues: dict[str, list[int]] = {}
    for place, operation in enumerate(batch.operations):
        queues.setdefault(operation.session or f"new {place}", []).append(place)
    results: list[bytes] = [b""] * len(batch.operations)

    async def one_session(places: list[int]) -> None:
        for place in places:
            results[place] = await _result(batch.operations[place], sessions)

    await asyncio.gather(*map(one_session, queues.values()))
    return b'{"results":[' + b",".join(results) + b"]}"


async def _result(operation: Operation, sessions: Sessions) -> bytes:
    try:
        return b'{"answer":' + await _answer(operation, sessions) + b',"problem":null}'
    except ProblemRaised as raised:
        return b'{"answer":null,"problem":' + to_json(raised.problem.model_dump(mode="json")) + b"}"


async def _answer(operation: Operation, sessions: Sessions) -> bytes:
    match operation:
        case CreateOperation():
            return to_json((await sessions.create(operation)).model_dump())
        case CloseOperation():
            return to_json(Closed(closed=await sessions.close(operation.session)).model_dump())
        case AdmissibleOperation():
            return await sessions.find(operation.session).admissible_actions()
        case _:
            session = sessions.find(operation.session)
            try:
                return await session.act(operation)
            finally:
                sessions.renew(session)
