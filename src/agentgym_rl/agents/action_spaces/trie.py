"""The admissible actions of one state as a tree of token ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class TokenTrie:
    """A node of the tree. ``children`` maps a token id to the next node; a node without children ends the message.

    Every sequence is closed by the end of turn, so no sequence is a proper prefix of another. Children are visited in
    ascending order of token id wherever order matters, so that a draw does not depend on insertion order.
    """

    __slots__ = ("children",)

    def __init__(self) -> None:
        self.children: dict[int, TokenTrie] = {}

    @classmethod
    def build(cls, sequences: Iterable[Sequence[int]]) -> TokenTrie:
        """The tree of ``sequences``; an empty one, or one that is a proper prefix of another, is a ValueError."""
        root = cls()
        for sequence in sequences:
            node = root
            created = False
            for token in sequence:
                following = node.children.get(token)
                if following is None:
                    if node is not root and not node.children and not created:
                        raise ValueError("a token sequence of the action space is a prefix of another")
                    following = node.children[token] = cls()
                    created = True
                node = following
            if not sequence or node.children:
                raise ValueError("a token sequence of the action space is empty or a prefix of another")
        if not root.children:
            raise ValueError("the action space is empty")
        return root

    def choices(self) -> list[int]:
        """The token ids that can follow, ascending."""
        return sorted(self.children)
