"""Players that should earn nothing: whoever scores with one of these has found a hole in a world."""

from __future__ import annotations

from agentgym_rl.agents.players.player import Moment, Player


class FixedPlayer(Player):
    """Says the same thing every turn, e.g. a world's "stop" at once."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.name = f"fixed:{action}"

    async def decide(self, moment: Moment) -> str:  # noqa: ARG002
        return self.action


class NullPlayer(FixedPlayer):
    """Sends the empty action."""

    def __init__(self) -> None:
        super().__init__("")
        self.name = "null"


class SpamPlayer(Player):
    """Sends everything at once: all admissible actions, a line each, ``repeats`` times over."""

    name = "spam"
    wants_admissible = True

    def __init__(self, repeats: int = 2) -> None:
        self.repeats = repeats

    async def decide(self, moment: Moment) -> str:
        return "\n".join((moment.state.admissible or (moment.state.text,)) * self.repeats)
