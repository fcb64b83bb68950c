"""The worlds that a server offers, with the options that clients ask for."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym_rl.environments.errors import MissingExtra
from agentgym_rl.environments.registry import nearest
from agentgym_rl.environments.service.protocol.problem import Code, FieldProblem, brief, problem
from agentgym_rl.environments.service.server.served_world import ServedWorld

MOST_VARIANTS = 64
"""Choices of options that are remembered; a session keeps its own alive."""


class Catalogue:
    """Every world with the operator's ``options`` is made at once, so that a server that starts can serve all of them.

    Raises: as :class:`ServedWorld`.
    """

    def __init__(
        self, ids: Sequence[str], create_seconds: float, options: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self._options = {id: dict((options or {}).get(id, {})) for id in ids}
        self.worlds = {id: ServedWorld(id, self._options[id]) for id in ids}
        self._variants: OrderedDict[str, ServedWorld] = OrderedDict()
        self._create_seconds = create_seconds

    async def find(self, id: str, options: Mapping[str, Any]) -> ServedWorld:
        """The world ``id`` with the client's ``options`` over the operator's.

        Raises:
            ProblemRaised: no such world, options that it does not take or that are the operator's, or too long to look at.
        """
        if id not in self.worlds:
            detail = f"environment {brief(id)} is not served here{nearest(id, list(self.worlds))}"
            raise problem(Code.UNKNOWN_ENVIRONMENT, detail)
        if not options:
            return self.worlds[id]
        for name in sorted(self.worlds[id].operator_settings & options.keys()):
            detail = (
                f"{name} of environment {id!r} can't be set by a client: whoever starts the server gives it, "
                f"agentgym-rl serve {id} --option {id}.{name}=..."
            )
            fields = [FieldProblem(field=f"options.{name}", value=brief(options[name]), allowed="nothing: the operator's")]
            raise problem(Code.BAD_REQUEST, detail, fields=fields)
        key = json.dumps([id, options], sort_keys=True)
        if key in self._variants:
            self._variants.move_to_end(key)
            return self._variants[key]
        self._variants[key] = found = await self._look_at(id, options)
        if len(self._variants) > MOST_VARIANTS:
            self._variants.popitem(last=False)
        return found

    async def _look_at(self, id: str, options: Mapping[str, Any]) -> ServedWorld:
        try:
            async with asyncio.timeout(self._create_seconds):
                return await asyncio.to_thread(ServedWorld, id, {**self._options[id], **options})
        except TimeoutError:
            detail = f"environment {id!r} with options {brief(dict(options))} took longer than {self._create_seconds:g} s"
            raise problem(Code.TIME_OUT, detail) from None
        except (ValueError, TypeError, MissingExtra) as error:
            fields = [FieldProblem(field="options", value=brief(dict(options)), allowed=str(error))]
            raise problem(Code.BAD_REQUEST, str(error), fields=fields) from error
