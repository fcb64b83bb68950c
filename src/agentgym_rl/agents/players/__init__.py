"""Actors without a model: what every result is shown beside, and what tests send into a world."""

from agentgym_rl.agents.players.expert import ExpertPlayer
from agentgym_rl.agents.players.fixed import FixedPlayer, NullPlayer, SpamPlayer
from agentgym_rl.agents.players.names import PLAYERS, UnknownPlayer, player_named
from agentgym_rl.agents.players.player import Moment, Player
from agentgym_rl.agents.players.random import RandomPlayer
from agentgym_rl.agents.players.shortcut import ShortcutPlayer

__all__ = [
    "PLAYERS",
    "ExpertPlayer",
    "FixedPlayer",
    "Moment",
    "NullPlayer",
    "Player",
    "RandomPlayer",
    "ShortcutPlayer",
    "SpamPlayer",
    "UnknownPlayer",
    "player_named",
]
