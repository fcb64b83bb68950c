"""The things of a room, as far as what can be done with them goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FURNITURE = frozenset(
    {
        *("bed", "book shelf", "bookshelf", "chair", "closet", "couch", "counter", "cupboard", "desk", "drain", "drawer"),
        *("finger painting", "ground", "large cupboard", "sewer", "table", "wood cupboard"),
    }
)
"""What the simulator lets one carry about or put things on, and nobody needs to."""
NOT_THINGS = frozenset({"agent", "inventory", "air"})


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of a room."""

    id: str
    name: str
    parent: str | None
    """The id of what it is in; None: it is the room."""
    contents: tuple[str, ...]
    """The ids of what is in it, without its contacts."""
    seen: bool
    """It is a thing, and no closed container hides it."""
    held: bool
    """It is in the inventory, or in something there."""
    portable: bool
    """Worth being carried."""
    container: bool
    open: bool
    state: str | None
    """``solid``, ``liquid`` or ``gas``; None where it is made of nothing in particular, such as living things and devices."""
    contact: bool
    """It is an electrical contact of another thing."""
    wire: bool
    door: bool

    @property
    def furniture(self) -> bool:
        return self.name in FURNITURE


def things_of(room: Mapping[str, Any]) -> dict[str, Thing]:
    """All things in a room by id, the room and the agent with its inventory included."""
    return {thing.id: thing for thing in _walk(room, None, hidden=False)}


def _walk(node: Mapping[str, Any], parent: Thing | None, *, hidden: bool) -> Iterator[Thing]:
    material, container, moving = node["propMaterial"], node["propContainer"], node["propMoveable"]
    name, door, contact = str(node["name"]), node["propPortal"] is not None, _contact(node)
    is_thing = parent is not None and name not in NOT_THINGS
    holds = bool(container and str(container["isContainer"]) == "true")
    thing = Thing(
        id=str(node["uuid"]),
        name=name,
        parent=parent.id if parent else None,
        contents=tuple(str(child["uuid"]) for child in node["contents"].values() if not _contact(child)),
        seen=is_thing and not hidden,
        held=parent is not None and (parent.held or parent.name == "inventory"),
        portable=bool(moving and moving["isMovable"]) and is_thing and name not in FURNITURE and not door and not contact,
        container=holds,
        open=holds and bool(container["isOpen"]),
        state=material["stateOfMatter"] if material else None,
        contact=contact,
        wire=name.endswith(" wire"),
        door=door,
    )
    yield thing
    for child in node["contents"].values():
        yield from _walk(child, thing, hidden=hidden or (holds and not thing.open))


def _contact(node: Mapping[str, Any]) -> bool:
    return node["propElectricalConnection"] is not None and node["propMaterial"] is None and node["propMoveable"] is not None
