"""What there is to know of a world before it is used."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym_rl.environments.protocol import ActionSchema


@dataclass(frozen=True, slots=True)
class Prompt:
    """The name of a world and what a model must be told of it."""

    id: str
    instructions: str
    action_schema: ActionSchema
