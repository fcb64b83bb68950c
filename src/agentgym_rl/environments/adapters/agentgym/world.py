"""Worlds on published AgentGym servers."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, ClassVar, TypeVar

from gymnasium.envs.registration import EnvSpec

from agentgym_rl.environments.adapters.agentgym import fields
from agentgym_rl.environments.adapters.agentgym.connection import Connection
from agentgym_rl.environments.adapters.agentgym.items import task_set
from agentgym_rl.environments.adapters.agentgym.remote import Remote
from agentgym_rl.environments.adapters.agentgym.wire import Wire
from agentgym_rl.environments.adapters.agentgym.wires import WIRES
from agentgym_rl.environments.errors import EnvironmentFault, UnknownEnvironment
from agentgym_rl.environments.protocol import Environment, Info
from agentgym_rl.environments.service.client.address import check_server
from agentgym_rl.environments.spec import EnvironmentSpec
from agentgym_rl.environments.task_set import Split, Task, TaskSet

Answer = TypeVar("Answer")


class AgentGymWorld(Environment):
    """Base of the classes that :func:`world_named` makes, one for each kind of server.

    Rewards are what an action adds to the score, so they add up to it: what the server calls reward is its own affair. An
    environment over there is made by the first ``reset``, used again by the next ones, and closed by ``close``. After a fault
    it is given up.
    """

    wire: ClassVar[Wire]

    def __init__(
        self,
        *,
        server: str | None = None,
        items: Mapping[str, Any] | None = None,
        instructions: str | None = None,
        reset_seconds: float = 120.0,
        step_seconds: float = 60.0,
    ) -> None:
        """Make the world; the server is not asked yet.

        Args:
            server: its address, ``http://HOST:PORT``.
            items: item numbers by split, or paths of JSON files with published lists of them; see :func:`items.task_set`.
            instructions: what a model is told. None: a short text of this package.
            reset_seconds: deadline of a reset.
            step_seconds: deadline of every other call.

        Raises:
            ValueError: no server, or no address of one.
        """
        super().__init__(
            server=server, items=items, instructions=instructions, reset_seconds=reset_seconds, step_seconds=step_seconds
        )
        if server is None:
            raise ValueError(f"environment {self.id!r}: give server=http://HOST:PORT, where AgentGym's server listens")
        self._connection = Connection(check_server(server))
        self.instructions = instructions if instructions is not None else self.wire.instructions
        self.action_schema = self.wire.action_schema
        self._reset_seconds = reset_seconds
        self._step_seconds = step_seconds
        self._remote: Remote | None = None
        self._offered: Callable[[], list[str] | None] = list

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """Items of the published numbering. Raises: as :func:`items.task_set`."""
        return task_set(cls.id, cls.wire.name, cls.wire.ranges, split, settings.get("items"))

    @property
    def spec(self) -> EnvironmentSpec:
        """Makes the world again from its name."""
        return EnvironmentSpec(
            id=f"agentgym_rl/{self.id}-v0",
            entry_point=f"{__name__}:make_named",
            nondeterministic=not self.deterministic,
            order_enforce=False,
            disable_env_checker=True,
            kwargs={"name": self.wire.name, "settings": dict(self.settings)},
            deterministic=self.deterministic,
        )

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """Not kept: see :attr:`Environment.spec`."""

    def _begin(self, task: Task) -> tuple[str, Info]:
        return self._by_server(partial(self._opened, task.data["item"]))

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        return self._by_server(partial(self._stepped, action))

    def _free(self) -> None:
        remote, self._remote = self._remote, None
        if remote is not None:
            remote.close()

    def admissible_actions(self) -> list[str] | None:
        """What the server says can be done, where it does; None where it does not. Raises: EnvironmentFault."""
        return self._by_server(self._offered) if self.running else []

    def _opened(self, item: int) -> tuple[str, Info]:
        if self._remote is None:
            self._remote = Remote(self.wire, self._connection, self._reset_seconds)
        answer = self._remote.reset(item, self._reset_seconds)
        text = self.wire.opening(answer, self._get)
        if text == self.wire.failed_opening:
            raise EnvironmentFault(f"{self._connection.address}: the reset to item {item} failed: {text}")
        self._score = 0.0
        self._won = False
        self._look(text, answer)
        return text, self._info(understood=True)

    def _stepped(self, action: str) -> tuple[str, float, bool, bool, Info]:
        assert self._remote is not None
        wire = self.wire
        answer = self._remote.step(action, self._step_seconds)
        text = fields.text(answer, wire.text)
        ended = [fields.flag(answer, name) for name in wire.ends]
        before = self._score
        if any(ended) or not wire.only_at_the_end:
            value = fields.number(answer, wire.value)
            score, won = wire.score(value), wire.won(value)
            self._score = max(before, score) if wire.kept else score
            self._won = won or (wire.kept and self._won)
        terminated = ended[0] or (wire.ends_when_won and self._won)
        truncated = not terminated and any(ended)
        self._look(text, answer)
        understood = not any(sign in text for sign in wire.refused)
        return text, self._score - before, terminated, truncated, self._info(understood=understood)

    def _look(self, text: str, answer: Any) -> None:
        self._offered = partial(self.wire.admissible, text, answer, self._get)

    def _get(self, path: str) -> Any:
        assert self._remote is not None
        return self._remote.get(path, self._step_seconds)

    def _by_server(self, call: Callable[[], Answer]) -> Answer:
        """Has it done; after a fault the environment over there is given up."""
        try:
            return call()
        except EnvironmentFault:
            self.running = False
            self._free()
            raise

    def _info(self, *, understood: bool) -> Info:
        return {"score": self._score, "success": self._won, "understood": understood, "state_key": None}


@cache
def world_named(name: str) -> type[AgentGymWorld]:
    """The class of ``agentgym:NAME``.

    Raises:
        UnknownEnvironment: no kind of server of that name.
    """
    if name not in WIRES:
        near = ", ".join(difflib.get_close_matches(name, WIRES, n=3) or WIRES)
        raise UnknownEnvironment(f"environment 'agentgym:{name}': no such AgentGym server is known; nearest: {near}")
    wire = WIRES[name]
    members = {"wire": wire, "id": f"agentgym:{name}", "summary": wire.summary, "deterministic": wire.deterministic}
    return type("AgentGymWorld", (AgentGymWorld,), {**members, "extra": "serve", "__doc__": AgentGymWorld.__doc__})


def make_named(name: str, settings: Mapping[str, Any]) -> AgentGymWorld:
    """``agentgym:NAME`` with these settings. Raises: as its constructor."""
    return world_named(name)(**settings)
