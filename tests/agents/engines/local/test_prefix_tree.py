"""Slots are handed out once, come back, and grow."""

from __future__ import annotations

from agentgym_rl.agents.engines.local.prefix_tree import PrefixTree, Session, Slots


def test_slots_are_handed_out_once_smallest_first_and_grow() -> None:
    slots = Slots(8)
    taken = [slots.take() for _ in range(8)]
    assert taken == list(range(8))
    assert slots.capacity == 8
    assert slots.take() == 8
    assert slots.capacity > 8
    slots.release([3, 1])
    assert [slots.take(), slots.take()] == [1, 3]


def test_a_session_forgets() -> None:
    tree = PrefixTree()
    session = Session(4, tree)
    session.ids, session.path = [1, 2], [0, 1]
    session.forget()
    assert (session.ids, session.path, session.node) == ([], [], tree.root)
