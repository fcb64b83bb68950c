"""Settings of the ``environment`` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from agentgym_rl.config.read_when import ReadWhen
from agentgym_rl.config.settings import Settings
from agentgym_rl.environments.service.client.address import check_server, is_address


class WorldSettings(Settings):
    """One world and which of its tasks are used."""

    id: str = "textcraft"
    """A registered environment, ``package.module:Class``, ``http://HOST:PORT/ENV`` on a server, ``gymnasium:ID``, or
    ``agentgym:NAME``."""
    servers: list[Annotated[str, AfterValidator(check_server)]] = Field(default_factory=list)
    """Servers that have the world, ``http://HOST:PORT``: episodes are spread over them, and begin again elsewhere when one dies."""
    workers: int | None = Field(default=None, ge=1)
    """So many worker processes share the episodes, each several at a time. ``runner: process`` gives every episode its own."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the world's constructor; its docs page lists them."""
    categories: Annotated[list[str], Field(min_length=1)] | None = None
    """Use only these categories; null: all."""
    stages: list[Annotated[list[str], Field(min_length=1)]] | None = None
    """Categories a horizon stage: the tasks widen along with the horizon. One list for each of ``horizon.turns``."""
    turns: list[Annotated[int, Field(ge=1)]] | None = None
    """Horizons of this world in place of ``horizon.turns``: one for each of its entries."""
    within_horizon: bool = False
    """Train at each stage of the horizon only on tasks that the world's oracle ends within it: no turns are spent on episodes
    that cannot succeed. Evaluation keeps all tasks."""
    skip_solved: float = Field(default=0.0, ge=0, lt=1)
    """Chance to pass over a training task whose group succeeded in every episode when it was last played: more turns are spent on
    what can still be learned. Not with ``horizon.schedule=adaptive``, which goes by the success on all tasks."""
    weight: float = Field(default=1.0, gt=0)
    """Share of the draws this world gets when several are mixed."""
    runner: Literal["inline", "thread", "process"] = "inline"
    """Where a synchronous world runs. ``inline``: in the event loop, where nothing can interrupt it, so without deadlines.
    ``thread``: a call that overruns is a fault, and its thread abandoned. ``process``: a worker, killed at the deadline."""
    reset_seconds: float = Field(default=60.0, gt=0)
    """Deadline of a reset."""
    step_seconds: float = Field(default=30.0, gt=0)
    """Deadline of a step."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        remote = "environment.servers" if self.servers else "a served environment.id" if is_address(self.id) else None
        if self.servers and is_address(self.id):
            raise ValueError(
                f"environment.id={self.id} names its server: leave out environment.servers, or write the name alone"
            )
        if remote and self.workers is not None:
            raise ValueError(f"environment.workers={self.workers} would do nothing with {remote}: remove it")
        for cause in (remote, "environment.workers" if self.workers is not None else None):
            if cause and self.runner != "inline":
                raise ValueError(f"environment.runner={self.runner} would do nothing with {cause}: remove it")
        return self

    @property
    def _inline(self) -> bool:
        return self.runner == "inline" and self.workers is None and not self.servers and not is_address(self.id)

    @model_validator(mode="after")
    def _deadlines_are_kept(self) -> Self:
        for name in ("reset_seconds", "step_seconds"):
            if self._inline and getattr(self, name) != WorldSettings.model_fields[name].default:
                raise ValueError(
                    f"environment.{name}={getattr(self, name):g} would do nothing with environment.runner=inline, which keeps "
                    "no deadline: set environment.runner=thread or process"
                )
        return self


class EnvironmentSettings(WorldSettings):
    """One world, or several in ``mix``."""

    mix: list[WorldSettings] = Field(default_factory=list)
    """Several worlds with weights, trained in one run, each id once; then the other keys of this section may not be set."""

    read_when: ClassVar[Mapping[str, ReadWhen]] = {name: ReadWhen("mix", ([],)) for name in WorldSettings.model_fields}

    @model_validator(mode="after")
    def _one_or_many(self) -> Self:
        if self.mix and self.model_fields_set - {"mix"}:
            extra = ", ".join(sorted(self.model_fields_set - {"mix"}))
            raise ValueError(f"environment.mix is set, so environment.{extra} would do nothing: move it into the mix")
        ids = [world.id for world in self.mix]
        if twice := [id for number, id in enumerate(ids) if id in ids[:number]]:
            raise ValueError(
                f"environment.mix has {twice[0]} twice, and episodes and metrics tell worlds apart by their id: "
                "give it once, with all its categories"
            )
        if not self.mix and self.weight != 1.0:
            raise ValueError(
                f"environment.weight={self.weight:g} would do nothing with a single environment: remove it, or set environment.mix"
            )
        return self

    @property
    def worlds(self) -> list[WorldSettings]:
        """The worlds of the run, one at least."""
        return list(self.mix) or [WorldSettings(**self.model_dump(exclude={"mix"}))]
