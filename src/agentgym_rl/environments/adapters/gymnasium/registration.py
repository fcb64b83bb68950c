"""Finds environments in Gymnasium's registry and makes them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator

from agentgym_rl.environments.errors import MissingExtra, UnknownEnvironment
from agentgym_rl.environments.registry import look_here_for

Made = gymnasium.Env[Any, Any]


def spec_of(name: str) -> EnvSpec:
    """The registration of ``ID``, or of ``package.module:ID`` after importing the module, which registers it.

    Raises:
        UnknownEnvironment: there is none, or only another version.
        MissingExtra: the module needs another one that is not installed.
    """
    module, _, id = name.rpartition(":")
    try:
        if module:
            look_here_for(module.partition(".")[0])
            importlib.import_module(module)
        return gymnasium.spec(id)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            raise UnknownEnvironment(f"environment 'gymnasium:{name}': there is no module {error.name!r}") from error
        raise _missing(name, error) from error
    except gymnasium.error.Error as error:
        raise UnknownEnvironment(f"environment 'gymnasium:{name}': {error}") from error


def make(name: str, spec: EnvSpec, arguments: Mapping[str, Any], limit: int | None, render_mode: str | None) -> Made:
    """The environment, with Gymnasium's order enforcement and time limit around it.

    Args:
        name: for messages.
        spec: its registration.
        arguments: of its constructor.
        limit: time limit in steps; None: the registration's.
        render_mode: of Gymnasium.

    Raises:
        MissingExtra: a package of it is not installed.
        ValueError: it does not take these arguments, or has not this render mode.
    """
    chosen = dict(arguments) if render_mode is None else {**arguments, "render_mode": render_mode}
    try:
        if render_mode is not None and render_mode not in _render_modes(spec):
            raise ValueError(f"environment 'gymnasium:{name}' has no render mode {render_mode!r}")
        made: Made = gymnasium.make(spec, max_episode_steps=limit, disable_env_checker=True, **chosen)
    except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
        raise _missing(name, error) from error
    except TypeError as error:
        raise ValueError(f"environment 'gymnasium:{name}': arguments={dict(arguments)}: {error}") from error
    return made


def _render_modes(spec: EnvSpec) -> Sequence[str]:
    creator: Any = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    modes: Sequence[str] = getattr(creator, "metadata", {}).get("render_modes", ())
    return modes


def _missing(name: str, error: Exception) -> MissingExtra:
    return MissingExtra(f"environment 'gymnasium:{name}' needs what is not installed: {error}")
