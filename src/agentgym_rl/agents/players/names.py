"""Players by name, as the command line and settings write them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Final

from agentgym_rl.agents.players.expert import ExpertPlayer
from agentgym_rl.agents.players.fixed import FixedPlayer, NullPlayer, SpamPlayer
from agentgym_rl.agents.players.player import Player
from agentgym_rl.agents.players.random import RandomPlayer
from agentgym_rl.agents.players.shortcut import ShortcutPlayer


class UnknownPlayer(LookupError):
    """No player of that name; the message names the nearest ones."""


_PLAIN: Final[dict[str, Callable[[int], Player]]] = {
    "random": RandomPlayer,
    "expert": lambda _: ExpertPlayer(),
    "null": lambda _: NullPlayer(),
    "spam": lambda _: SpamPlayer(),
}
_WITH_ARGUMENT: Final[dict[str, Callable[[str, int], Player]]] = {
    "shortcut": ShortcutPlayer,
    "fixed": lambda action, _: FixedPlayer(action),
}
PLAYERS: Final = (*_PLAIN, *(f"{kind}:…" for kind in _WITH_ARGUMENT))
"""The names :func:`player_named` knows; ``…`` stands for the shortcut's name or the action."""


def player_named(name: str, seed: int = 0) -> Player:
    """The player called ``random``, ``expert``, ``null``, ``spam``, ``shortcut:NAME`` or ``fixed:ACTION``.

    ``seed`` is that of the players who draw. Raises :class:`UnknownPlayer`.
    """
    if name in _PLAIN:
        return _PLAIN[name](seed)
    kind, colon, argument = name.partition(":")
    if colon and kind in _WITH_ARGUMENT:
        return _WITH_ARGUMENT[kind](argument, seed)
    near = difflib.get_close_matches(name, [*_PLAIN, *_WITH_ARGUMENT], n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownPlayer(f"unknown player {name!r}; {hint}known: {', '.join(PLAYERS)}")
