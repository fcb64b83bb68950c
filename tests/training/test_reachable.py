"""Tasks that an oracle ends within a horizon."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from agentgym_rl.environments.protocol import Environment, Info
from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.settings import WorldSettings
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.training import reachable
from agentgym_rl.training.reachable import within_horizons


def test_keeps_exactly_the_tasks_whose_oracle_succeeds_in_time() -> None:
    easy = tasks("textcraft", split="train").filter(["depth-1"])
    both = tasks("textcraft", split="train").filter(["depth-1", "depth-2"])
    short, long = within_horizons(WorldSettings(id="textcraft"), [easy, both], [2, 5])
    with make("textcraft") as world:

        def turns(task: str) -> int:
            world.reset(options={"task": task})
            for turn in range(1, 40):
                if world.step(world.expert_action() or "")[4]["success"]:
                    return turn
            raise AssertionError(task)

        assert [task.id for task in short] == [task.id for task in easy if turns(task.id) <= 2]
        assert [task.id for task in long] == [task.id for task in both if turns(task.id) <= 5]
    assert len(short) < len(easy)
    assert len(short) < len(long) < len(both)


def test_a_stage_without_a_task_is_named() -> None:
    deep = tasks("textcraft", split="train").filter(["depth-4"])
    with pytest.raises(
        ValueError, match=r"no task of textcraft to train on in stage 1: .* within 2 turns; lengthen horizon.turns"
    ):
        within_horizons(WorldSettings(id="textcraft"), [deep], [2])


class Wordless(Environment):
    """Never says what an oracle would do."""

    id: ClassVar[str] = "wordless"
    summary: ClassVar[str] = "No oracle."
    instructions = "Act."
    action_schema = ()

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:  # noqa: ARG003
        return TaskSet([Task("one", "wordless", split, "all", content=split)])

    def _begin(self, task: Task) -> tuple[str, Info]:  # noqa: ARG002
        return "Go on.", {"score": 0.0, "success": False, "understood": True, "state_key": None}

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:  # noqa: ARG002
        return "No.", 0.0, False, False, {"score": 0.0, "success": False, "understood": True, "state_key": None}


def test_a_world_without_an_oracle_is_named() -> None:
    world = WorldSettings(id=f"{__name__}:Wordless")
    with pytest.raises(
        ValueError, match=r"environment\.within_horizon needs an oracle, and wordless has none for task 'one'"
    ):
        within_horizons(world, [tasks(world.id, split="train")], [2])


def test_of_a_served_world_the_way_to_its_oracle_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Server:
        def make(self) -> Wordless:
            return Wordless()

    monkeypatch.setattr(reachable, "source_of", lambda _: Server())
    for world in (WorldSettings(id="http://host:1/wordless"), WorldSettings(id="wordless", servers=["http://host:1"])):
        with pytest.raises(
            ValueError, match=r"start its server with --allow-expert, or set environment\.within_horizon=false$"
        ):
            within_horizons(world, [Wordless.tasks("train")], [2])
