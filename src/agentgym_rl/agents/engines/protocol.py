"""What samples from a policy. A :class:`TokenEngine` takes ids and returns ids: only such a one can train."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypedDict

from agentgym_rl.agents.action_spaces.trie import TokenTrie

StopReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. Order: restriction, temperature, top-k, top-p. Temperature 0 is greedy."""

    temperature: float = 1.0
    top_k: int = 0
    """0: off."""
    top_p: float = 1.0
    max_tokens: int = 64
    """Most tokens a message may take."""


class DrawKey(NamedTuple):
    """Names the random numbers of one message: they depend on these counters alone, never on batching or the clock."""

    seed: int
    step: int
    draw: int
    episode: int
    attempt: int
    turn: int


@dataclass(slots=True)
class SampleRequest:
    """One message to be sampled."""

    session: int
    """The conversation this belongs to; an engine keeps its keys and values between the turns of one session."""
    context: Sequence[int]
    """All ids the model sees, up to where it writes."""
    key: DrawKey
    sampling: Sampling
    stop_ids: frozenset[int]
    """A sampled id among these ends the message (and belongs to it)."""
    allowed: TokenTrie | None = None
    """Restricts the message to one of the trie's sequences; its end ends the message."""
    group: int = 0
    """Sessions of one group are likely to share a prefix."""


@dataclass(slots=True)
class SampleResult:
    """The sampled message. ``token_ids``, ``sampled`` and ``log_probs`` have one entry a token."""

    token_ids: list[int] = field(default_factory=list)
    sampled: list[bool] = field(default_factory=list)
    """False: forced, there was only one choice."""
    log_probs: list[float] = field(default_factory=list)
    """Natural log under the distribution sampled from (restriction, temperature, top-k, top-p); 0 for forced tokens."""
    stop: StopReason = "stop"
    policy_version: int = 0
    kept: list[list[int]] | None = None
    """For each sampled token the ids it was drawn among, ascending (empty: the whole vocabulary); None when nothing restricts."""


class TokenEngine(Protocol):
    """Samples messages token by token. Sessions are opened before the first request and closed after the last."""

    def open(self, group: int) -> int:
        """A new session of ``group``: its number."""

    def close(self, session: int) -> None:
        """Forget a session and free what it held. Idempotent."""

    async def sample(self, request: SampleRequest) -> SampleResult: ...


class Message(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: str


class ChatEngine(Protocol):
    """Messages in, text out: for evaluation only."""

    async def chat(self, messages: Sequence[Message], sampling: Sampling) -> str: ...
