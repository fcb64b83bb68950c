"""One episode's context: what the model saw, what it sampled, and which of it is trained."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.chat.window import Layout, PastTurn, shrink
from agentgym_rl.agents.engines.protocol import SampleResult
from agentgym_rl.agents.rollout.actor import ContextFull
from agentgym_rl.agents.settings import WindowSettings
from agentgym_rl.records.trajectory import Segment


class Conversation:
    """Collects the ids of one episode: ``observe``, let the engine continue :attr:`context`, ``add_message``, and again.

    The context only grows, except where the template rewrites history (``history="template"``) or the window drops or
    shortens old observations: then a new segment begins whose repeated ids are masked, so that every sampled token is
    trained exactly once over all :attr:`segments`. The first observation (the goal) always stays.

    ``context_limit`` is the most tokens the model takes; ``message_tokens`` is the room that a window keeps free for a
    message. Without a window :class:`~agentgym_rl.agents.rollout.actor.ContextFull` is raised when an observation and one
    token of a message do not fit; with one, when not even the first and the shortened newest observation do.
    """

    def __init__(
        self,
        renderer: ChatRenderer,
        instructions: str,
        *,
        context_limit: int,
        window: WindowSettings | None = None,
        history: Literal["keep", "template"] = "keep",
        message_tokens: int = 1,
    ) -> None:
        window = window or WindowSettings()
        self._renderer = renderer
        self._layout = Layout(renderer, instructions)
        self._limit = min(context_limit, window.tokens or context_limit) - len(renderer.closing)
        self._window = window
        self._windowed = window.turns is not None or window.tokens is not None
        self._message_tokens = message_tokens if self._windowed else 1
        self._rewrites = history == "template" and renderer.rewrites_history
        self._turns: list[PastTurn] = []
        self._first = 0
        """Turns before this one are dropped, except for the first observation."""
        self._segments = [Segment()]
        self.history_rewrites = 0
        """Segments begun because the template rewrote history."""
        self.window_drops = 0
        """Segments begun because the window dropped or shortened old observations."""

    @property
    def context(self) -> list[int]:
        """The ids the model sees, up to where it writes. Not to be changed."""
        return self._segments[-1].token_ids

    @property
    def room(self) -> int:
        """Tokens left for a message, the template's closing ids set apart."""
        return self._limit - len(self.context)

    @property
    def segments(self) -> list[Segment]:
        """Everything so far, in order; the last one is the current context. None before the first observation."""
        return [segment for segment in self._segments if segment.token_ids]

    def observe(self, text: str, message_tokens: int | None = None) -> None:
        """Add an observation. ``message_tokens``: the room that a window keeps free for this message.

        Raises :class:`ContextFull`; nothing has changed then.
        """
        if message_tokens is not None and self._windowed:
            self._message_tokens = message_tokens
        turns = [*self._turns, PastTurn(text)]
        rewritten = self._renderer.rewritten(self._turns[-1].message) if self._rewrites and self._turns else None
        first = max(self._first, len(turns) - self._window.turns) if self._window.turns else self._first
        if rewritten is None and first == self._first:
            ids = self._renderer.observe(text) if self._turns else self._layout.render(turns, 0)
            if self._fits(len(self.context) + len(ids)):
                self._turns = turns
                self._extend(ids)
                return
        if rewritten is not None:
            turns[-2] = replace(turns[-2], message=rewritten, answered=True)
        ids = self._layout.render(turns, first)
        dropped = first != self._first
        if not self._fits(len(ids)):
            if self._windowed and len(turns) > 1:
                tokens = self._limit - self._message_tokens
                ids, first = shrink(self._layout, turns, first, tokens=tokens, shorten=self._window.tokens is not None)
                dropped = True
            if len(ids) + 1 > self._limit:
                raise ContextFull(self._too_small(len(ids)))
        self._turns, self._first = turns, first
        self.history_rewrites += rewritten is not None
        self.window_drops += dropped
        if self.context:
            self._segments.append(Segment())
        self._extend(ids)

    def add_message(self, result: SampleResult) -> str:
        """Add what the engine sampled as the answer to the newest observation, and close it; returns its text."""
        number = len(self._turns) - 1
        message = list(result.token_ids)
        closing = self._renderer.after_message(message)
        self._turns[-1] = replace(self._turns[-1], message=message, closing=closing)
        segment = self._segments[-1]
        segment.token_ids += message
        segment.action_mask += [True] * len(message)
        segment.sampled_mask += result.sampled
        segment.log_probs += result.log_probs
        segment.turns += [number] * len(message)
        self._extend(closing)
        return self._renderer.message_text(message)

    def _extend(self, ids: list[int]) -> None:
        """Append ids that are not trained."""
        segment = self._segments[-1]
        segment.token_ids += ids
        segment.action_mask += [False] * len(ids)
        segment.sampled_mask += [False] * len(ids)
        segment.log_probs += [0.0] * len(ids)
        segment.turns += [-1] * len(ids)

    def _fits(self, tokens: int) -> bool:
        return tokens + self._message_tokens <= self._limit

    def _too_small(self, tokens: int) -> str:
        what = "next" if self._turns else "first"
        window = "set agent.window" if self._turns and not self._windowed else "raise agent.window.tokens"
        way_out = f"{window}, or take a model with a longer context"
        if not self._turns and self._window.tokens is None:
            way_out = "take a model with a longer context"
        return (
            f"with the {what} observation the context takes {tokens} tokens, a message comes on top, "
            f"and there is room for {self._limit}: {way_out}"
        )
