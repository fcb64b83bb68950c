"""Which token prefixes are cached, and where their keys and values lie."""

from __future__ import annotations

from torch import Tensor


class Node:
    """A cached token. ``slot`` is its place in the pool; ``hidden`` its last hidden state ``[hidden]``, kept where a message
    was sampled from it, since another episode of the group may arrive here later."""

    __slots__ = ("children", "hidden", "slot")

    def __init__(self, slot: int) -> None:
        self.slot = slot
        self.children: dict[int, Node] = {}
        self.hidden: Tensor | None = None


class PrefixTree:
    """The cached prefixes of one group; lives as long as a session of it is open."""

    __slots__ = ("root", "sessions", "slots")

    def __init__(self) -> None:
        self.root = Node(-1)
        self.sessions = 0
        self.slots: list[int] = []


class Session:
    """How far a conversation is cached: its ids, their slots, and the node it stands on."""

    __slots__ = ("group", "ids", "node", "path", "tree")

    def __init__(self, group: int, tree: PrefixTree) -> None:
        self.group = group
        self.tree = tree
        self.forget()

    def forget(self) -> None:
        """Back to the root: nothing of this conversation counts as cached."""
        self.node = self.tree.root
        self.ids: list[int] = []
        self.path: list[int] = []


class Slots:
    """Hands out pool slots, smallest first, so that what belongs together mostly lies together."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._free = list(range(capacity - 1, -1, -1))

    def take(self) -> int:
        """A free slot. Raises ``capacity`` by a quarter when there is none: the owner grows the pool to match."""
        if not self._free:
            capacity = self.capacity + self.capacity // 4
            self._free = list(range(capacity - 1, self.capacity - 1, -1))
            self.capacity = capacity
        return self._free.pop()

    def release(self, slots: list[int]) -> None:
        """Take slots back."""
        self._free = sorted([*self._free, *slots], reverse=True)
