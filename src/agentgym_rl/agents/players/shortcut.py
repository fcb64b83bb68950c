"""The shortcut player: one of the world's cheap heuristics, which a trained policy should beat."""

from __future__ import annotations

from agentgym_rl.agents.players.chance import generator
from agentgym_rl.agents.players.player import Moment, Player


class ShortcutPlayer(Player):
    """Plays the shortcut the world calls ``shortcut`` (see :meth:`Environment.shortcuts`)."""

    def __init__(self, shortcut: str, seed: int = 0) -> None:
        self.shortcut = shortcut
        self.seed = seed
        self.name = f"shortcut:{shortcut}"

    async def decide(self, moment: Moment) -> str:
        draw = int(generator(self.seed, moment).integers(2**32))
        return await moment.environment.shortcut_action(self.shortcut, draw)
