"""Which item is which task, for servers whose numbering is the same everywhere."""

from __future__ import annotations

from agentgym_rl.environments.adapters.agentgym.items import Range
from agentgym_rl.environments.babyai.levels import CATEGORY, DEFAULT
from agentgym_rl.environments.searchqa.files.sets import PUBLISHED

BABYAI_LEVELS: tuple[str, ...] = (
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
    "Open",
    "OpenRedDoor",
    "OpenDoorLoc",
    "OpenRedBlueDoorsDebug",
    "OpenDoorsOrderN4Debug",
    "Pickup",
    "UnblockPickup",
    "PickupLoc",
    "PickupDistDebug",
    "PickupAbove",
    "PutNextLocalS6N4",
    "PutNextS7N4Carrying",
    "Unlock",
    "UnlockLocalDist",
    "KeyInBox",
    "UnlockPickupDist",
    "BlockedUnlockPickup",
    "UnlockToUnlock",
    "ActionObjDoor",
    "FindObjS7",
    "KeyCorridorS6R3",
    "OneRoomS20",
    "MoveTwoAcrossS8N9",
    "SynthS5R2",
    "SynthLoc",
    "SynthSeq",
    "MiniBossLevel",
    "BossLevel",
    "BossLevelNoUnlock",
)
"""Item n is the level n mod 40 at the seed n div 40."""

SCIWORLD_TASKS: tuple[tuple[str, int], ...] = (
    ("boil", 30),
    ("melt", 30),
    ("freeze", 30),
    ("change-the-state-of-matter-of", 30),
    ("use-thermometer", 540),
    ("measure-melting-point-known-substance", 436),
    ("measure-melting-point-unknown-substance", 300),
    ("power-component", 20),
    ("power-component-renewable-vs-nonrenewable-energy", 20),
    ("test-conductivity", 900),
    ("test-conductivity-of-unknown-substances", 600),
    ("find-living-thing", 300),
    ("find-non-living-thing", 300),
    ("find-plant", 300),
    ("find-animal", 300),
    ("chemistry-mix", 32),
    ("chemistry-mix-paint-secondary-color", 36),
    ("chemistry-mix-paint-tertiary-color", 36),
    ("lifespan-longest-lived", 125),
    ("lifespan-shortest-lived", 125),
    ("lifespan-longest-lived-then-shortest-lived", 125),
    ("identify-life-stages-1", 14),
    ("identify-life-stages-2", 10),
)
"""The tasks of SciWorld servers and their numbers of variations: items count through all variations of one after the other."""

BABYAI_SEEDS = 322
"""The published items have seeds below."""


def counted(parts: tuple[tuple[str, int], ...]) -> tuple[Range, ...]:
    """Items that count through parts of these sizes, each a category."""
    found: list[Range] = []
    for category, size in parts:
        start = found[-1].stop if found else 0
        found.append(Range(start, start + size, category))
    return tuple(found)


def searchqa_ranges() -> tuple[Range, ...]:
    """Items of SearchQA, in the splits that the data has."""
    ranges = counted(tuple((name, size) for name, size, _ in PUBLISHED))
    return tuple(
        Range(place.start, place.stop, place.category, "train" if train else "test")
        for place, (_, _, train) in zip(ranges, PUBLISHED, strict=True)
    )


def babyai_ranges() -> tuple[Range, ...]:
    """Items of the benchmark's levels, each level with its family as category."""
    levels = len(BABYAI_LEVELS)
    return tuple(Range(BABYAI_LEVELS.index(level), levels * BABYAI_SEEDS, CATEGORY[level], step=levels) for level in DEFAULT)
