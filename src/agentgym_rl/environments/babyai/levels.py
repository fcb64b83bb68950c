"""The levels: their names, the category each is reported under, and MiniGrid's name for it.

A literal table, so that task sets list without importing MiniGrid; a test compares it with MiniGrid's registry.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

BENCHMARK: dict[str, tuple[str, ...]] = {
    "GoTo": (
        "GoToRedBallGrey",
        "GoToRedBall",
        "GoToRedBallNoDists",
        "GoToObjS6",
        "GoToLocalS8N7",
        "GoToObjMazeS7",
        "GoToImpUnlock",
        "GoToSeqS5R2",
        "GoToRedBlueBall",
        "GoToDoor",
        "GoToObjDoor",
    ),
    "Pickup": ("PickupLoc", "PickupDistDebug", "PickupAbove"),
    "ActionObjDoor": ("ActionObjDoor",),
    "FindObjS7": ("FindObjS7",),
    "OneRoomS20": ("OneRoomS20",),
    "SynthLoc": ("SynthLoc",),
}
"""The six columns of the AgentGym-RL benchmark and their 18 levels: the default task set."""

OTHERS: dict[str, tuple[str, ...]] = {
    "GoTo": (
        "GoToObj",
        "GoToObjS4",
        "GoToLocal",
        "GoToLocalS5N2",
        "GoToLocalS6N2",
        "GoToLocalS6N3",
        "GoToLocalS6N4",
        "GoToLocalS7N4",
        "GoToLocalS7N5",
        "GoToLocalS8N2",
        "GoToLocalS8N3",
        "GoToLocalS8N4",
        "GoToLocalS8N5",
        "GoToLocalS8N6",
        "GoTo",
        "GoToOpen",
        "GoToObjMaze",
        "GoToObjMazeOpen",
        "GoToObjMazeS4R2",
        "GoToObjMazeS4",
        "GoToObjMazeS5",
        "GoToObjMazeS6",
        "GoToSeq",
    ),
    "Open": (
        "Open",
        "OpenRedDoor",
        "OpenDoor",
        "OpenDoorDebug",
        "OpenDoorColor",
        "OpenDoorLoc",
        "OpenTwoDoors",
        "OpenRedBlueDoors",
        "OpenRedBlueDoorsDebug",
        "OpenDoorsOrderN2",
        "OpenDoorsOrderN4",
        "OpenDoorsOrderN2Debug",
        "OpenDoorsOrderN4Debug",
    ),
    "Pickup": ("Pickup", "UnblockPickup", "PickupDist"),
    "PutNext": (
        "PutNextLocal",
        "PutNextLocalS5N3",
        "PutNextLocalS6N4",
        "PutNextS4N1",
        "PutNextS5N2",
        "PutNextS5N1",
        "PutNextS6N3",
        "PutNextS7N4",
        "PutNextS5N2Carrying",
        "PutNextS6N3Carrying",
        "PutNextS7N4Carrying",
    ),
    "Unlock": (
        "Unlock",
        "UnlockLocal",
        "UnlockLocalDist",
        "KeyInBox",
        "UnlockPickup",
        "UnlockPickupDist",
        "BlockedUnlockPickup",
        "UnlockToUnlock",
    ),
    "FindObj": ("FindObjS5", "FindObjS6"),
    "KeyCorridor": (
        "KeyCorridor",
        "KeyCorridorS3R1",
        "KeyCorridorS3R2",
        "KeyCorridorS3R3",
        "KeyCorridorS4R3",
        "KeyCorridorS5R3",
        "KeyCorridorS6R3",
    ),
    "OneRoom": ("OneRoomS8", "OneRoomS12", "OneRoomS16"),
    "MoveTwoAcross": ("MoveTwoAcrossS5N2", "MoveTwoAcrossS8N9"),
    "Synth": ("Synth", "SynthS5R2", "SynthSeq"),
    "BossLevel": ("MiniBossLevel", "BossLevel", "BossLevelNoUnlock"),
}
"""All other BabyAI levels of MiniGrid, by family."""

CATEGORY: dict[str, str] = {
    name: category for group in (BENCHMARK, OTHERS) for category, names in group.items() for name in names
}
"""The category of every level."""

DEFAULT: tuple[str, ...] = tuple(name for names in BENCHMARK.values() for name in names)


def gym_id(level: str) -> str:
    """MiniGrid's registered name of a level."""
    return f"BabyAI-{level}-v{1 if level == 'GoToObjS6' else 0}"


def choose(levels: Sequence[str] | str | None) -> tuple[str, ...]:
    """The level names meant by the ``levels`` option: None (the benchmark's), ``"all"``, one name, or a list of names.

    Raises:
        ValueError: a name that is no level, with the nearest ones; an empty list; anything else.
    """
    if levels is None:
        return DEFAULT
    if levels == "all":
        return tuple(CATEGORY)
    names = (levels,) if isinstance(levels, str) else levels
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f'levels must be a name, a list of names, or "all", not {levels!r}')
    names = tuple(dict.fromkeys(names))
    for name in names:
        if name not in CATEGORY:
            near = ", ".join(difflib.get_close_matches(name, CATEGORY, n=3)) or ", ".join(DEFAULT)
            raise ValueError(f"unknown BabyAI level {name!r}; nearest: {near}")
    if not names:
        raise ValueError('levels is empty: name levels, or "all", or leave it out for the benchmark\'s 18')
    return names
