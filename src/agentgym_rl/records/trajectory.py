"""The record of one episode: what rollouts make, training and evaluation read, the viewer shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Ending = Literal["terminated", "truncated", "horizon", "context", "fault"]
"""How an episode ended; see "How failures count" in the docs."""


@dataclass(slots=True)
class Segment:
    """A stretch of token ids the model saw as one context. A new one starts when history is rewritten or dropped.

    All lists have one entry a token. ``action_mask`` marks the ids of the model's messages, forced ones included;
    ``sampled_mask`` the subset that had more than one choice. Repeated context of a later segment is masked.
    """

    token_ids: list[int] = field(default_factory=list)
    action_mask: list[bool] = field(default_factory=list)
    sampled_mask: list[bool] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    """The engine's log-probability under the distribution the token was sampled from; 0 where not sampled."""
    turns: list[int] = field(default_factory=list)
    """Turn of each action token, -1 outside."""

    def __len__(self) -> int:
        return len(self.token_ids)


@dataclass(slots=True)
class Turn:
    """One observation, one model message, one action."""

    observation: str
    message: str
    """The model's message as text (for people; training uses the ids)."""
    action: str | None
    """What was sent to the world; None when the message could not be read."""
    reward: float = 0.0
    score: float = 0.0
    success: bool = False
    understood: bool = True
    """False: the message or the action could not be read."""
    problem: str | None = None
    """Why the message could not be read."""
    stop: Literal["stop", "length"] = "stop"
    """Whether the message ended by itself or was cut by the token limit."""
    admissible: list[str] | None = None
    """The actions offered, in an admissible action space."""
    kept: list[list[int]] | None = None
    """For each sampled token of the message the ids it was drawn among (empty: the whole vocabulary); None: nothing restricts."""
    state_key: str | None = None
    """Key of the state this turn acted in."""


@dataclass(slots=True)
class Trajectory:
    """One run at one task."""

    environment: str
    task: str
    """Task id."""
    category: str
    seed: int
    """Environment seed."""
    group: int
    """Number of the draw inside the step: the group this episode belongs to."""
    index: int
    """Number of the episode inside its group."""
    horizon: int
    attempt: int = 0
    """How many faults came before this record."""
    turns: list[Turn] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    score: float = 0.0
    success: bool = False
    ended: Ending = "horizon"
    final_observation: str = ""
    faults: list[str] = field(default_factory=list)
    """The cause of each fault met on the way, retried or not."""
    policy_version: int = 0
    """The step whose weights sampled it (0: the untrained model)."""
    history_rewrites: int = 0
    """Segments begun because the template rewrote history."""
    window_drops: int = 0
    """Segments begun because the window dropped or shortened old observations."""
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """False for a fault: left out of baseline, loss and means."""
        return self.ended != "fault"

    @property
    def rewards(self) -> list[float]:
        """The reward of each turn."""
        return [turn.reward for turn in self.turns]
