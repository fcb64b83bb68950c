"""Scripted oracles, a page each: the next action from what the agent sees.

An oracle is a function of a :class:`Situation` that returns the next action, one of the admissible ones, or None when it sees no
way on from there (after a random player, say). It keeps nothing between turns: all it knows is in the view. A module of this
package registers its oracles by name::

    @oracle("click-test", "click-test-2")
    def click_test(now: Situation) -> str | None:
        return now.click(now.find("button", "ONE"))
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from agentgym_rl.environments.web.miniwob.oracles.registry import ORACLES, Oracle, Situation, oracle

__all__ = ["Oracle", "Situation", "known_pages", "oracle", "oracle_for"]


def oracle_for(page: str) -> Oracle | None:
    """The oracle of a page; None where there is none."""
    _load()
    return ORACLES.get(page)


def known_pages() -> tuple[str, ...]:
    """The pages that have an oracle, sorted."""
    _load()
    return tuple(sorted(ORACLES))


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
