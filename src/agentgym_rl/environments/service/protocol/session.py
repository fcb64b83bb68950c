"""What happens in a session: made, reset, stepped, asked, closed.

Calls that act (reset, step) are numbered 1, 2, 3 … within a session. The number of the last call may be repeated: the
answer is the recorded one, and nothing happens twice. Any other number but the next is refused. A number is taken when the
world has been asked to act; a call that is refused before that takes none.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentgym_rl.environments.protocol import Transition
from agentgym_rl.environments.service.protocol.message import Answer, Request
from agentgym_rl.environments.service.protocol.observation import WireObservation, decode, encode

LARGEST = 2**64 - 1


class CreateSession(Request):
    """Open a session. Repeating a request with the same ``session`` opens no second one."""

    environment: str = Field(max_length=200)
    options: dict[str, Any] = Field(default_factory=dict)
    """Arguments of the world's constructor."""
    session: str | None = Field(default=None, pattern=r"^[0-9a-f]{32}$")
    """The id it shall have, drawn at random by the client; without one the server draws it."""


class SessionState(Answer):
    session: str
    environment: str
    lease: float
    """Seconds until it is closed unless it is used."""
    number: int
    """The last number taken; 0 at first."""
    open_sessions: int
    """How many sessions the server has, this one and those of other clients included: where a client opens its next one."""


class ResetSession(Request):
    """Begin an episode."""

    number: int = Field(ge=1, le=LARGEST)
    task: str = Field(max_length=1000)
    """Its id."""
    seed: int = Field(ge=0, le=LARGEST)
    admissible: bool = False
    """Answer with the admissible actions too."""


class StepSession(Request):
    """Take one action."""

    number: int = Field(ge=1, le=LARGEST)
    action: str
    admissible: bool = False


class TransitionAnswer(Answer):
    """What a reset or a step led to."""

    number: int
    observation: WireObservation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]
    admissible: list[str] | None = None

    @classmethod
    def of(cls, number: int, transition: Transition) -> TransitionAnswer:
        return cls(
            number=number,
            observation=encode(transition.observation),
            reward=transition.reward,
            terminated=transition.terminated,
            truncated=transition.truncated,
            info=dict(transition.info),
            admissible=None if transition.admissible is None else list(transition.admissible),
        )

    def transition(self) -> Transition:
        return Transition(
            decode(self.observation),
            self.reward,
            self.terminated,
            self.truncated,
            self.info,
            None if self.admissible is None else tuple(self.admissible),
        )


class ActionsAnswer(Answer):
    actions: list[str] | None
    """Null where the world can't list them."""


class ActionAnswer(Answer):
    action: str | None
    """Null where there is no oracle."""


class AskShortcut(Request):
    """Ask a cheap heuristic for its next action."""

    name: str = Field(max_length=200)
    seed: int = Field(ge=0, le=LARGEST)
    """Makes its random generator."""
