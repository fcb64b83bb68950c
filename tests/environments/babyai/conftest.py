"""Rooms drawn by hand."""

import pytest

from agentgym_rl.environments.babyai import BabyAI, simulation
from agentgym_rl.environments.task_set import Task

DIRECTIONS = ">v<^"


@pytest.fixture
def draw(monkeypatch):
    """A world in a hand-made room: ``draw(rows, things, mission)``.

    ``rows`` is a map of equal lines: ``#`` wall, one of ``>v<^`` the agent, digits the ``things`` by index (functions that
    make a MiniGrid object), anything else empty. ``mission(things)`` makes the instruction; without one it is to go to
    thing 0. The map is 8 by 8 or, for two rooms side by side, 15 by 8.
    """
    from minigrid.core.world_object import Wall
    from minigrid.envs.babyai.core.roomgrid_level import RoomGridLevel
    from minigrid.envs.babyai.core.verifier import GoToInstr, ObjDesc

    def make(rows, things, mission=None, max_steps=None):
        made = [thing() for thing in things]

        class Drawn(RoomGridLevel):
            def __init__(self):
                super().__init__(room_size=8, num_rows=1, num_cols=(len(rows[0]) - 1) // 7, max_steps=max_steps)

            def gen_mission(self):
                for y, row in enumerate(rows):
                    for x, sign in enumerate(row):
                        if sign in DIRECTIONS:
                            self.agent_pos, self.agent_dir = (x, y), DIRECTIONS.index(sign)
                        self.grid.set(x, y, Wall() if sign == "#" else None)
                        if sign.isdigit():
                            self.put_obj(made[int(sign)], x, y)
                self.instrs = mission(made) if mission else GoToInstr(ObjDesc(made[0].type, made[0].color))

        monkeypatch.setattr(simulation, "_minigrid_level", lambda _level: (Drawn, {}))
        world = BabyAI()
        task = Task("drawn/0", "babyai", "train", "GoTo", data={"level": "drawn", "seed": 0})
        observation, _ = world.reset(seed=0, options={"task": task})
        world.first_observation = observation
        return world

    return make
