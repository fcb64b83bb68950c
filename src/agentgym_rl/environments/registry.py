"""Worlds by name: ``make``, ``tasks`` and what is registered.

A name is an entry point of the group ``agentgym_rl.environments`` (this package's worlds are registered like anyone
else's), ``package.module:Class`` for a class that is not packaged, ``http://HOST:PORT/ENV`` for one on a server, or
``FAMILY:NAME`` for other people's: ``gymnasium:FrozenLake-v1``, ``agentgym:textcraft``.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import re
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from agentgym_rl.environments.errors import MissingExtra, UnknownEnvironment
from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import SPLITS, Split, TaskSet

GROUP = "agentgym_rl.environments"
FAMILIES = {
    "gymnasium": "agentgym_rl.environments.adapters.gymnasium.world",
    "agentgym": "agentgym_rl.environments.adapters.agentgym.world",
}
"""Other people's worlds: the module whose ``world_named`` gives the class of ``FAMILY:NAME``."""
_CLASS = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")


def make(id: str, **settings: Any) -> Environment:
    """An instance of the world ``id``; ``settings`` are its constructor's arguments.

    Raises:
        UnknownEnvironment: no world of that id; the message names the nearest ones.
        MissingExtra: the world needs a package that is not installed.
        ValueError: a setting that the world does not have.
    """
    world = environment_class(id)
    check_settings(world, settings)
    try:
        return world(**settings)
    except ModuleNotFoundError as error:
        raise _missing(id, error, world.extra) from error


def tasks(id: str, split: Split = "train", **settings: Any) -> TaskSet:
    """The task set of a split of the world ``id``. Errors as in :func:`make`; ValueError also for an unknown split."""
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}; known: {', '.join(SPLITS)}")
    world = environment_class(id)
    check_settings(world, settings)
    try:
        return world.tasks(split, **settings)
    except ModuleNotFoundError as error:
        raise _missing(id, error, world.extra) from error


def registered() -> list[str]:
    """The ids of all registered worlds, sorted. Imports none of them."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def summary(id: str) -> str:
    """One line about the world ``id``. One whose module has ``SUMMARY`` is not loaded further.

    Raises: as :func:`environment_class`.
    """
    point = _entry_point(id)
    try:
        found = getattr(importlib.import_module(point.module), "SUMMARY", None)
    except ModuleNotFoundError:
        found = None
    return found if isinstance(found, str) else environment_class(id).summary


def environment_class(id: str) -> type[Environment]:
    """The class behind ``id``.

    Raises:
        UnknownEnvironment: no such id, module or class.
        MissingExtra: importing it needs a package that is not installed.
        TypeError: what it names is not a subclass of Environment.
    """
    if id.startswith(("http://", "https://")):
        return _served(id)
    family, _, name = id.partition(":")
    if name and family in FAMILIES:
        return _of_family(family, name)
    point = _entry_point(id)
    try:
        found = point.load()
    except ModuleNotFoundError as error:
        if error.name is not None and f"{point.module}.".startswith(f"{error.name}."):
            raise UnknownEnvironment(f"environment {id!r}: there is no module {error.name!r}") from error
        raise _missing(id, error) from error
    except AttributeError as error:
        raise UnknownEnvironment(f"environment {id!r}: module {point.module!r} has no {point.attr!r}") from error
    if not (isinstance(found, type) and issubclass(found, Environment)):
        raise TypeError(f"environment {id!r} is not a subclass of agentgym_rl.environments.protocol.Environment")
    return found


def check_settings(world: type[Environment], settings: dict[str, Any]) -> None:
    """Refuses settings that the constructor of ``world`` does not take, naming the nearest one it does.

    Raises:
        ValueError: an unknown setting.
    """
    parameters = dict(inspect.signature(world.__init__).parameters)
    parameters.pop("self")
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for key in settings:
        if key not in parameters:
            raise ValueError(f"environment {world.id!r} has no setting {key!r}{nearest(key, list(parameters))}")


def _served(id: str) -> type[Environment]:
    try:
        from agentgym_rl.environments.service.client.world import world_at
    except ModuleNotFoundError as error:
        raise _needs_serve(id, error) from error
    return world_at(id)


def _of_family(family: str, name: str) -> type[Environment]:
    try:
        module = importlib.import_module(FAMILIES[family])
    except ModuleNotFoundError as error:
        raise _needs_serve(f"{family}:{name}", error) from error
    found: type[Environment] = module.world_named(name)
    return found


def _needs_serve(id: str, error: ModuleNotFoundError) -> MissingExtra:
    what = "pip install 'agentgym-rl[serve]'"
    return MissingExtra(f"environment {id!r} needs {error.name}: {what}", name=error.name)


def _entry_point(id: str) -> EntryPoint:
    for point in entry_points(group=GROUP):
        if point.name == id:
            return point
    if ":" in id:
        if not _CLASS.fullmatch(id):
            raise UnknownEnvironment(f"environment {id!r}: give it as package.module:Class")
        look_here_for(re.split("[.:]", id)[0])
        return EntryPoint(name=id, value=id, group=GROUP)
    hint = nearest(id, registered())
    raise UnknownEnvironment(f"unknown environment {id!r}{hint}; or give package.module:Class")


def look_here_for(package: str) -> None:
    """Lets a package be imported from the folder that a console script is called from: it does not look there by itself."""
    if importlib.util.find_spec(package) is None:
        sys.path.append(str(Path.cwd()))


def nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=3) or known
    return f"; nearest: {', '.join(near)}" if near else "; there are none"


def _missing(id: str, error: ModuleNotFoundError, extra: str | None = None) -> MissingExtra:
    extra = extra or id
    point = _entry_point(id)
    package = point.dist.name if point.dist is not None else None
    extras = (point.dist.metadata.get_all("Provides-Extra") or []) if point.dist is not None else []
    what = f"{package}[{extra}]" if extra in extras else str(error.name)
    return MissingExtra(f"environment {id!r} needs {error.name}: pip install '{what}'", name=error.name)
