"""The random player: what a policy that knows nothing but the list of actions gets."""

from __future__ import annotations

from agentgym_rl.agents.players.chance import generator
from agentgym_rl.agents.players.player import Moment, Player


class RandomPlayer(Player):
    """Draws uniformly from the admissible actions.

    Raises :class:`ValueError` in a world that can't list them: there a random player does not exist.
    """

    name = "random"
    wants_admissible = True

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    async def decide(self, moment: Moment) -> str:
        actions = moment.state.admissible
        if not actions:
            raise ValueError(
                f"{moment.job.task.environment} does not list its admissible actions, so no random player can play it"
            )
        return actions[int(generator(self.seed, moment).integers(len(actions)))]
