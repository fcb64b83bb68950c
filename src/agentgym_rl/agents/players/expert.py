"""The expert player: the world's oracle, the ceiling of every result."""

from __future__ import annotations

from agentgym_rl.agents.players.player import Moment, Player


class ExpertPlayer(Player):
    """Plays the oracle's actions. Where the oracle gives up, the remaining turns are spent."""

    name = "expert"

    async def decide(self, moment: Moment) -> str | None:
        return await moment.environment.expert_action()
