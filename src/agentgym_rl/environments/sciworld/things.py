"""The things of a room, as far as what can be done with them goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

FURNITURE = frozenset(
    "bed;book shelf;bookshelf;chair;closet;couch;counter;cupboard;desk;drain;drawer;finger painting;fire pit;fountain;ground;"
    "large cupboard;sewer;table;wood cupboard".split(";")
)
"""What the simulator lets one carry about, and nobody needs to."""
NOT_THINGS = frozenset({"agent", "inventory", "air"})


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing of a room."""

    id: str
    name: str
    parent: str | None
    """The id of what it is in; None: it is the room."""
    contents: tuple[str, ...]
    """The ids of what is in it, without the contacts of electrical parts."""
    movable: bool
    container: bool
    state: str | None
    """``solid``, ``liquid`` or ``gas``; None where it is made of nothing in particular."""
    connectable: bool
    """It is a contact, or has some."""
    door: bool

    @property
    def portable(self) -> bool:
        """Worth being carried."""
        return self.movable and self.name not in FURNITURE and self.name not in NOT_THINGS and not self.door


def things_of(room: Mapping[str, Any]) -> dict[str, Thing]:
    """All things in a room by id, the room and the agent with its inventory included."""
    return {thing.id: thing for thing in _walk(room, None)}


def _walk(node: Mapping[str, Any], parent: str | None) -> Iterator[Thing]:
    inside = [child for child in node["contents"].values() if not _contact(child)]
    material, container, moving = node["propMaterial"], node["propContainer"], node["propMoveable"]
    yield Thing(
        id=str(node["uuid"]),
        name=str(node["name"]),
        parent=parent,
        contents=tuple(str(child["uuid"]) for child in inside),
        movable=bool(moving and moving["isMovable"]),
        container=bool(container and str(container["isContainer"]) == "true"),
        state=material["stateOfMatter"] if material else None,
        connectable=node["propElectricalConnection"] is not None or len(inside) < len(node["contents"]),
        door=node["propPortal"] is not None,
    )
    for child in node["contents"].values():
        yield from _walk(child, str(node["uuid"]))


def _contact(node: Mapping[str, Any]) -> bool:
    return node["propElectricalConnection"] is not None and node["propMaterial"] is None
