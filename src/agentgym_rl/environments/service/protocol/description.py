"""What a server tells of itself and of its environments."""

from __future__ import annotations

from typing import Any, Literal

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter
from agentgym_rl.environments.service.protocol.message import Answer
from agentgym_rl.environments.task_set import Split, Task


class Limits(Answer):
    """What a server allows. Times are in seconds."""

    sessions: int
    lease: float
    """A session that is not used for so long is closed."""
    create: float
    reset: float
    step: float
    body_bytes: int
    batch: int
    """Most operations in a batch."""
    page: int
    """Most tasks in a page."""


class EnvironmentSummary(Answer):
    id: str
    summary: str


class ServerDescription(Answer):
    protocol: str
    version: str
    """Of the package ``agentgym-rl``."""
    environments: list[EnvironmentSummary]
    allow_expert: bool
    """Whether it tells the oracle's next action."""
    limits: Limits


class WireParameter(Answer):
    name: str
    type: Literal["string", "integer", "number", "boolean"]
    description: str
    required: bool
    enum: list[str]


class WireFunction(Answer):
    name: str
    description: str
    parameters: list[WireParameter]
    template: str


class SplitDescription(Answer):
    tasks: int
    categories: dict[str, int]
    """Tasks of each category, in the order of their first occurrence."""


class Picture(Answer):
    """Size in pixels."""

    height: int
    width: int


class EnvironmentDescription(Answer):
    id: str
    """The name it is served under."""
    name: str
    """The world's own id."""
    version: str
    """Of the package that the world comes from; empty for one that is not packaged."""
    summary: str
    deterministic: bool
    instructions: str
    action_schema: list[WireFunction]
    splits: dict[Split, SplitDescription]
    pictures: dict[str, Picture]
    """Of each observation, beside its text."""
    shortcuts: list[str]
    """Names of its cheap heuristics."""

    def schema_of_actions(self) -> ActionSchema:
        return tuple(
            ActionFunction(
                function.name,
                function.description,
                tuple(
                    Parameter(one.name, one.type, one.description, one.required, tuple(one.enum))
                    for one in function.parameters
                ),
                function.template,
            )
            for function in self.action_schema
        )


class TaskRecord(Answer):
    id: str
    environment: str
    split: Split
    category: str
    data: dict[str, Any]
    content: str

    @classmethod
    def of(cls, task: Task) -> TaskRecord:
        return cls(
            id=task.id,
            environment=task.environment,
            split=task.split,
            category=task.category,
            data=dict(task.data),
            content=task.content,
        )

    def task(self) -> Task:
        return Task(self.id, self.environment, self.split, self.category, self.data, self.content)


class TaskPage(Answer):
    total: int
    """Tasks of the split."""
    offset: int
    tasks: list[TaskRecord]


def functions_of(schema: ActionSchema) -> list[WireFunction]:
    """An action schema in its form on the wire."""
    return [
        WireFunction(
            name=function.name,
            description=function.description,
            parameters=[
                WireParameter(
                    name=one.name, type=one.type, description=one.description, required=one.required, enum=list(one.enum)
                )
                for one in function.parameters
            ],
            template=function.template,
        )
        for function in schema
    ]
