"""The contract between a world and everything that acts in it.

An environment *is* a :class:`gymnasium.Env` whose action is a string. A world is one class with this base; whoever
wants a new one subclasses it and either names it ``package.module:Class`` or registers an entry point.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypedDict

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from agentgym_rl.environments.errors import ResetNeeded
from agentgym_rl.environments.spaces import UnicodeText
from agentgym_rl.environments.spec import EnvironmentSpec, spec_of
from agentgym_rl.environments.task_set import SPLITS, Split, Task, TaskSet, find_task

Observation = str | dict[str, Any]
"""A string, or for worlds with pictures ``{"text": str, "image": uint8[H, W, 3], ...}``."""


class Info(TypedDict):
    """What ``info`` of ``reset`` and ``step`` always holds. Worlds may add keys."""

    score: float
    """In [0, 1]."""
    success: bool
    understood: bool
    """The last action was read. A legal action that fails is understood; True at reset."""
    state_key: str | None
    """Hash of the world's state, for step-level credit; None where there is none."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an :class:`ActionFunction`."""

    name: str
    type: Literal["string", "integer", "number", "boolean"]
    description: str
    required: bool = True
    enum: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionFunction:
    """One action of a world as a function call, for the ``function_calling`` and ``code`` formats."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    template: str = ""
    """How arguments become the action string: a :meth:`str.format` template over the parameters' names; a missing
    optional parameter is the empty string and surplus spaces are squeezed. Empty: the name itself."""


ActionSchema = tuple[ActionFunction, ...]


class Environment(gymnasium.Env[Observation, str]):
    """Base of every world. Subclasses set the class attributes and implement :meth:`tasks`, :meth:`_begin` and :meth:`_act`.

    ``reset(seed=..., options={"task": Task | id})`` begins an episode; without a task, a train task is drawn from
    ``np_random``. The first observation depends on the task alone; the seed drives only chance inside the episode.
    Rewards of an episode add up to its final score. A bad action is an observation that says what was wrong.
    """

    id: ClassVar[str]
    """The registered name, e.g. ``textcraft``."""
    summary: ClassVar[str]
    """One line for ``agentgym-rl envs``."""
    deterministic: ClassVar[bool] = True
    """Same task, seed and actions give the same observations and rewards in any process."""
    waits: ClassVar[bool] = False
    """A call waits for a browser or a site: in a run it is made on a thread, where others would be made in the event loop."""
    operator_settings: ClassVar[frozenset[str]] = frozenset()
    """Settings that name files, addresses or programs: a server takes them from whoever starts it, never from its clients."""
    extra: ClassVar[str | None] = None
    """The pip extra this world needs, e.g. ``babyai``."""
    instructions: str
    """What a model must know to act: the prompt text of this world."""
    action_schema: ActionSchema
    task: Task | None = None
    """The task of the current or last episode."""
    running: bool = False
    """Whether an episode is running: after ``reset`` and before its end."""

    def __init__(self, **settings: Any) -> None:
        """A subclass's constructor passes its own arguments on, so that :meth:`tasks` and ``spec.make()`` get them too.

        A world with pictures replaces ``observation_space`` (see :func:`agentgym_rl.environments.spaces.text_and_image`).
        """
        self.settings = settings
        self.action_space: gymnasium.Space[str] = UnicodeText()
        self.observation_space: gymnasium.Space[Any] = UnicodeText()

    @classmethod
    @abstractmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The task set of a split. ``settings`` are the world's own constructor arguments."""

    @abstractmethod
    def _begin(self, task: Task) -> tuple[Observation, Info]:
        """Begin an episode at ``task``; chance comes from ``self.np_random``."""

    @abstractmethod
    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        """Take one action while the episode runs: observation, reward, terminated, truncated, info."""

    @property
    def spec(self) -> EnvironmentSpec:
        """How gymnasium makes this world again, and whether it is deterministic."""
        return spec_of(type(self), self.id, self.settings, deterministic=self.deterministic)

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """``gymnasium.make`` sets the spec it made the world from. The same follows from class and settings: not kept."""

    def _free(self) -> None:
        """Free processes, browsers and the like. Called by the first :meth:`close` after a :meth:`reset`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: seeds ``np_random``; None goes on with the generator there is.
            options: ``{"task": Task | task id}``, or None for a train task drawn from ``np_random``.

        Raises:
            UnknownTask: no task of that id in any split.
            ValueError: an option other than ``task``.
        """
        super().reset(seed=seed)
        options = options or {}
        if unknown := options.keys() - {"task"}:
            raise ValueError(f"unknown reset option {sorted(unknown)[0]!r}; known: task")
        self.running = False
        self.task = self._find(options.get("task"))
        observation, info = self._begin(self.task)
        self._open = self.running = True
        return observation, dict(info)

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Raises:
            ResetNeeded: before :meth:`reset` or after the end of the episode.
            TypeError: the action is not a string.
        """
        if not self.running:
            raise ResetNeeded(f"{self.id}: no episode is running; call reset first")
        if not isinstance(action, str):
            raise TypeError(f"{self.id}: an action is a string, not {type(action).__name__}")
        observation, reward, terminated, truncated, info = self._act(action)
        self.running = not (terminated or truncated)
        return observation, reward, terminated, truncated, dict(info)

    def close(self) -> None:
        """End the episode and free everything. Idempotent; a later :meth:`reset` opens the world again."""
        self.running = False
        if self._open:
            self._open = False
            self._free()

    def admissible_actions(self) -> list[str] | None:
        """Every action that can be executed now, never empty while the episode runs; None where they can't be listed."""
        return None

    def expert_action(self) -> str | None:
        """The next action of an oracle, or None where there is none."""
        return None

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """Named cheap heuristics that need no understanding (each: random generator → action), shown beside every result."""
        return {}

    _open: bool = False

    def _find(self, task: Task | str | None) -> Task:
        if isinstance(task, Task):
            return task
        if task is None:
            train = self.tasks("train", **self.settings)
            return train[int(self.np_random.integers(len(train)))]
        return find_task(task, [self.tasks(split, **self.settings) for split in SPLITS])


@dataclass(frozen=True, slots=True)
class Transition:
    """What one ``step`` (or ``reset``: reward 0, not ended) of an :class:`AsyncEnvironment` returned."""

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]
    admissible: tuple[str, ...] | None = None
    """The admissible actions of the state reached, when they were asked for."""

    @property
    def text(self) -> str:
        """The observation's text part."""
        return self.observation if isinstance(self.observation, str) else str(self.observation["text"])

    @property
    def ended(self) -> bool:
        return self.terminated or self.truncated


Image = NDArray[np.uint8]

__all__ = [
    "ActionFunction",
    "ActionSchema",
    "Environment",
    "Image",
    "Info",
    "Observation",
    "Parameter",
    "Transition",
]
