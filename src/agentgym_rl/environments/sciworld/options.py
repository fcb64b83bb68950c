"""The settings of the world."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym_rl.environments.sciworld.kinds import Kind, choose

SIMPLIFICATIONS = ("teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
EASY = ("teleportAction", "noElectricalAction", "openDoors", "selfWateringFlowerPots")
"""What the simulator means by ``easy``; in electrical tasks without ``noElectricalAction``."""
MOVES = 100
"""The moves of time that an episode may take: the simulator's own default."""


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a world, checked."""

    kinds: tuple[Kind, ...]
    simplifications: tuple[str, ...]
    moves: int
    everything: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Options:
        """The options that constructor arguments mean.

        Raises:
            ValueError: a value that is none, with those there are.
        """
        moves, admissible = settings.get("moves", MOVES), settings.get("admissible", "useful")
        if type(moves) is not int or moves < 1:
            raise ValueError(f"environment 'sciworld': moves must be a whole number, 1 or more, not {moves!r}")
        if admissible not in ("useful", "all"):
            raise ValueError(f'environment \'sciworld\': admissible must be "useful" or "all", not {admissible!r}')
        kinds = choose(settings.get("kinds"))
        return cls(kinds, _simplifications(settings.get("simplifications", ()), kinds), moves, admissible == "all")

    def simplified(self, kind: Kind) -> str:
        """The simplifications of a kind of task, as the simulator reads them."""
        return ",".join(name for name in self.simplifications if not (kind.electrical and name == "noElectricalAction"))


def _simplifications(given: Any, kinds: Sequence[Kind]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"environment 'sciworld': simplifications must be a name or a list of names, not {given!r}")
    for name in names:
        if name != "easy" and name not in SIMPLIFICATIONS:
            near = difflib.get_close_matches(name, ("easy", *SIMPLIFICATIONS), n=1) or ("easy", *SIMPLIFICATIONS)
            raise ValueError(f"environment 'sciworld': unknown simplification {name!r}; nearest: {', '.join(near)}")
    asked = {*names, *(EASY if "easy" in names else ())}
    if "noElectricalAction" in names and all(kind.electrical for kind in kinds):
        raise ValueError(
            "environment 'sciworld': simplifications=noElectricalAction would do nothing: these kinds are about circuits"
        )
    return tuple(name for name in SIMPLIFICATIONS if name in asked)
