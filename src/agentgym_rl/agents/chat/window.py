"""Which turns a context holds, and how it gets smaller."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agentgym_rl.agents.chat.renderer import ChatRenderer

SHORTENED = 32
"""Tokens that are left of an old observation before whole turns are dropped."""
FILL = 0.75
"""How full a context is, at most, once old turns were shortened or dropped: so that this is not needed again every turn."""
ELLIPSIS = " […]"


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One observation and the message to it (empty while it is awaited)."""

    observation: str
    message: list[int] = field(default_factory=list)
    """The sampled ids, or what the template keeps of them."""
    closing: list[int] = field(default_factory=list)
    answered: bool = False
    """The message stands as the template writes an earlier one."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Writes turns as one context."""

    renderer: ChatRenderer
    instructions: str

    def render(self, turns: list[PastTurn], first: int) -> list[int]:
        """The ids of ``turns``, up to where the last one's message stands, without those before ``first``.

        The first observation always stays; with dropped turns it shares a user turn with the oldest one kept.
        """
        opening = turns[0].observation
        if first:
            left_out = "1 earlier turn is left out" if first == 1 else f"{first} earlier turns are left out"
            opening = f"{opening}\n\n[{left_out}]\n\n{turns[first].observation}"
        ids = self.renderer.start(self.instructions, opening, answered=turns[first].answered)
        for before, turn in zip(turns[first:], turns[first + 1 :], strict=False):
            ids += before.message
            ids += before.closing
            ids += self.renderer.observe(turn.observation, answered=turn.answered)
        return ids


def shrink(layout: Layout, turns: list[PastTurn], first: int, *, tokens: int, shorten: bool) -> tuple[list[int], int]:
    """Make ``turns`` (changed in place) fit into ``tokens``; returns the ids and the first turn that was not dropped.

    Old observations are shortened (if ``shorten``), the oldest first, then turns are dropped, the oldest first, until the
    context is at most three quarters full; at last the newest observation is shortened. The ids are longer than ``tokens``
    when even that is not enough.
    """
    newest = len(turns) - 1
    ids = layout.render(turns, first)
    target = int(FILL * tokens)
    if shorten:
        for number in range(max(first, 1), newest):
            if len(ids) <= target:
                return ids, first
            if _shorten(layout, turns, number, SHORTENED):
                ids = layout.render(turns, first)
    while first < newest and len(ids) > target:
        first += 1
        ids = layout.render(turns, first)
    surplus = len(ids) - tokens
    if surplus > 0:
        length = len(layout.renderer.observe(turns[newest].observation)) - len(layout.renderer.observe(""))
        _shorten(layout, turns, newest, max(0, length - surplus - len(layout.renderer.encode_message(ELLIPSIS)) - 1))
        ids = layout.render(turns, first)
    return ids, first


def _shorten(layout: Layout, turns: list[PastTurn], number: int, tokens: int) -> bool:
    """Cut one observation to about ``tokens`` tokens; False where it is that short already."""
    observation = turns[number].observation.removesuffix(ELLIPSIS)
    head = layout.renderer.head(observation, tokens)
    if head == observation:
        return False
    turns[number] = replace(turns[number], observation=head + ELLIPSIS)
    return True
