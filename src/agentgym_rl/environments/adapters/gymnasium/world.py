"""Environments of Gymnasium as text worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
from gymnasium.envs.registration import EnvSpec

from agentgym_rl.environments.adapters.gymnasium import registration
from agentgym_rl.environments.adapters.gymnasium.actions import actions_of
from agentgym_rl.environments.adapters.gymnasium.known import KNOWN, Known
from agentgym_rl.environments.adapters.gymnasium.scoring import Success, scoring_of
from agentgym_rl.environments.adapters.gymnasium.tasks import task_set
from agentgym_rl.environments.adapters.gymnasium.text import digest_of
from agentgym_rl.environments.adapters.gymnasium.writing import Writer
from agentgym_rl.environments.protocol import Environment, Info, Observation
from agentgym_rl.environments.spaces import text_and_image
from agentgym_rl.environments.spec import EnvironmentSpec
from agentgym_rl.environments.task_set import Split, Task, TaskSet


class GymnasiumWorld(Environment):
    """Base of the classes that :func:`world_named` makes, one for each environment.

    A task is a seed of the environment; the seed of ``reset`` replaces its random generator once the episode has begun, so it
    drives what chance there is after that. The score is given at the end of the episode, by the environment or its time limit;
    an episode that is cut earlier has score 0.
    """

    name: ClassVar[str]
    """What Gymnasium calls it, maybe with the module that registers it before: ``package.module:ID``."""
    registered: ClassVar[EnvSpec]

    def __init__(
        self,
        *,
        arguments: Mapping[str, Any] | None = None,
        actions: Sequence[Any] | None = None,
        template: str | None = None,
        instructions: str | None = None,
        image: bool = False,
        max_steps: int | None = None,
        returns: Sequence[float] | None = None,
        success: Success | None = None,
        observation_is_state: bool | None = None,
        train: int = 1000,
        validation: int = 100,
        test: int = 100,
    ) -> None:
        """Make the world. What is None is taken from what is known of the environment, or found from its registration.

        Args:
            arguments: of the environment's constructor, such as ``{"map_name": "8x8"}``.
            actions: names of the actions, in their order; for MultiDiscrete a list for each part.
            template: of the observation, for :meth:`str.format`. Fields: ``text`` (the observation in words), ``observation``
                (as it is: ``{observation[0]}``), ``actions`` (what can be done), ``render`` (Gymnasium's text rendering).
            instructions: what a model is told.
            image: observations are ``{"text": str, "image": uint8[H, W, 3]}`` with the rendering as RGB.
            max_steps: the time limit.
            returns: worst and best return, scores 0 and 1.
            success: the return that is enough; ``terminated``: the end came from the environment, not from the time limit;
                ``positive``: any return above 0.
            observation_is_state: what is observed is all that decides what can come: gives ``state_key``.
            train: number of tasks, as ``validation`` and ``test``.
            validation: see ``train``.
            test: see ``train``.

        Raises:
            ValueError: settings that don't fit the environment, or an environment that can't be put in words.
            MissingExtra: a package that the environment needs is not installed.
        """
        super().__init__(
            arguments=arguments,
            actions=actions,
            template=template,
            instructions=instructions,
            image=image,
            max_steps=max_steps,
            returns=returns,
            success=success,
            observation_is_state=observation_is_state,
            train=train,
            validation=validation,
            test=test,
        )
        known = KNOWN.get(self.registered.name, Known())
        self._writer = Writer(self.id, known, template, image=image)
        self._known = known
        self._env: registration.Made | None = self._open_env()
        self._actions = actions_of(self.id, self._env.action_space, actions if actions is not None else known.actions)
        self._writer.check(self._env)
        limit = max_steps if max_steps is not None else self.registered.max_episode_steps
        self._scoring = scoring_of(
            self.registered,
            returns if returns is not None else known.returns,
            success if success is not None else known.success,
            limit,
        )
        self._keyed = known.observation_is_state if observation_is_state is None else observation_is_state
        self.action_schema = self._actions.schema
        self.instructions = instructions if instructions is not None else self._told(limit)
        if image:
            self._env.reset(seed=0)
            self.observation_space = text_and_image(*self._writer.picture(self._env).shape[:2])

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """Seeds of the environment. Raises: ValueError: a number of tasks that can't be."""
        return task_set(cls.id, cls.registered.id, split, settings)

    @property
    def spec(self) -> EnvironmentSpec:
        """Makes the world again from its name."""
        return EnvironmentSpec(
            id=f"agentgym_rl/{self.id.replace('/', ':')}-v0",
            entry_point=f"{__name__}:make_named",
            nondeterministic=not self.deterministic,
            order_enforce=False,
            disable_env_checker=True,
            kwargs={"name": self.name, "settings": dict(self.settings)},
            deterministic=self.deterministic,
        )

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        """Not kept: see :attr:`Environment.spec`."""

    def _begin(self, task: Task) -> tuple[Observation, Info]:
        env = self._env = self._env or self._open_env()
        self._observed, self._told_info = env.reset(seed=task.data["seed"])
        env.unwrapped.np_random = np.random.Generator(np.random.PCG64(int(self.np_random.integers(2**63))))
        self._return = 0.0
        self._text = self._written(env)
        return self._writer.observation(env, self._text), self._info()

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        env = self._env
        assert env is not None
        chosen = self._actions.read(action)
        if chosen is None:
            text = f"That is no action here. Actions: {self._actions.told}.\n{self._text}"
            return self._writer.observation(env, text), 0.0, False, False, self._info(understood=False)
        self._observed, reward, terminated, truncated, self._told_info = env.step(chosen)
        self._return += float(reward)
        self._text = self._written(env)
        if not (terminated or truncated):
            return self._writer.observation(env, self._text), 0.0, False, False, self._info()
        score = self._scoring.score(self._return)
        success = self._scoring.success(self._return, terminated=bool(terminated))
        text = f"{self._text}\nThe episode has ended with a return of {self._return:g}."
        info = self._info(score=score, success=success)
        return self._writer.observation(env, text), score, bool(terminated), bool(truncated), info

    def _free(self) -> None:
        env, self._env = self._env, None
        if env is not None:
            env.close()

    def admissible_actions(self) -> list[str] | None:
        """All actions, or those that the environment's ``action_mask`` allows; None where there are too many, or texts."""
        return self._actions.admissible(self._told_info.get("action_mask") if self.running else None)

    def _open_env(self) -> registration.Made:
        settings = self.settings
        return registration.make(
            self.name, self.registered, settings["arguments"] or {}, settings["max_steps"], self._writer.mode
        )

    def _told(self, limit: int | None) -> str:
        what = self._known.instructions or f"Play {self.registered.name}."
        ends = f" An episode has {limit} actions at most." if limit is not None else ""
        return f"{what}\nActions: {self._actions.told}.{ends}"

    def _written(self, env: registration.Made) -> str:
        offered = self._actions.admissible(self._told_info.get("action_mask"))
        return self._writer.write(env, self._observed, self._actions.told if offered is None else ", ".join(offered))

    def _info(self, *, score: float = 0.0, success: bool = False, understood: bool = True) -> Info:
        key = digest_of((self.id, self._observed)) if self._keyed else None
        return {"score": score, "success": success, "understood": understood, "state_key": key}


@cache
def world_named(name: str) -> type[GymnasiumWorld]:
    """The class of ``gymnasium:NAME``. Raises: as :func:`registration.spec_of`."""
    registered = registration.spec_of(name)
    members = {
        "name": name,
        "registered": registered,
        "id": f"gymnasium:{name}",
        "summary": f"{registered.id} of Gymnasium, in words",
        "deterministic": not registered.nondeterministic,
    }
    return type("GymnasiumWorld", (GymnasiumWorld,), {**members, "__doc__": GymnasiumWorld.__doc__})


def make_named(name: str, settings: Mapping[str, Any]) -> GymnasiumWorld:
    """``gymnasium:NAME`` with these settings. Raises: as its constructor."""
    return world_named(name)(**settings)
