"""What commands that open a world share: its settings as words, and which task to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.source import parse

if TYPE_CHECKING:
    from agentgym_rl.environments.task_set import Split, Task


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """``["levels=[GoToObj]"]`` as keyword arguments of the world's constructor; values are YAML."""
    settings: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise ConfigError(f"{word!r}: write a setting of the world as key=value")
        settings[key], _ = parse(value, word, one_line=True)
    return settings


@contextmanager
def refusals_are_bad_use() -> Iterator[None]:
    """A world refuses a setting, split or category with a ValueError: here that is the command line's fault."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(str(error)) from error


def choose_task(
    name: str, task_id: str | None, split: str, category: str | None, seed: int, options: dict[str, Any]
) -> Task:
    """The task of that id in any split, or one that ``seed`` draws from the split (and category)."""
    import numpy as np

    from agentgym_rl.environments.registry import tasks
    from agentgym_rl.environments.task_set import SPLITS, find_task

    with refusals_are_bad_use():
        if task_id is not None:
            return find_task(task_id, [tasks(name, one, **options) for one in SPLITS])
        found = tasks(name, cast("Split", split), **options)
        if category is not None:
            found = found.filter(category)
    if not len(found):
        raise ConfigError(f"{name} has no tasks in the {split} split")
    return found[int(np.random.default_rng(seed).integers(len(found)))]
