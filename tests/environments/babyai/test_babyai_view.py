"""What the agent sees is what MiniGrid says it sees."""

import numpy as np
import pytest
from minigrid.core.world_object import Ball, Box, Door, Key

from agentgym_rl.environments.babyai.simulation import Simulation
from agentgym_rl.environments.babyai.view import visible


@pytest.mark.parametrize("level", ["GoToImpUnlock", "GoToSeqS5R2", "OneRoomS20", "SynthLoc", "GoToObjS4"])
def test_the_cells_in_view_are_minigrids(level):
    random = np.random.default_rng(0)
    for seed in range(3):
        simulation = Simulation(level, seed)
        for _ in range(60):
            simulation.do(int(random.choice([0, 1, 2, 2, 2, 3, 4, 5, 5])))
            grid, mask = simulation.env.gen_obs_grid()
            seen = {(right + 3, 6 - ahead): simulation.cells[cell] for cell, ahead, right in visible(simulation)}
            assert set(seen) == {(int(x), int(y)) for x, y in np.argwhere(mask)}
            seen[3, 6] = simulation.carrying  # MiniGrid shows what is carried at the agent's place
            assert all(grid.get(*place) is thing for place, thing in seen.items())


def test_observation_of_a_room(draw):
    world = draw(
        [
            "########",
            "#...1..#",
            "#.0....#",
            "#......#",
            "#.2^...#",
            "#...3..#",
            "#......#",
            "########",
        ],
        [lambda: Ball("red"), lambda: Ball("red"), lambda: Key("blue"), lambda: Box("grey")],
    )
    assert world.first_observation == (
        "Goal: go to a red ball\n"
        "In sight: blue key 1: 1 left; red ball 1: 2 ahead, 1 left; red ball 2: 3 ahead, 1 right.\n"
        "Walls: 4 ahead, 3 left.\n"
        "In front: nothing. Carrying: nothing."
    )


def test_things_behind_closed_doors_and_walls_are_out_of_sight(draw):
    rows = [
        "###############",
        "#......#......#",
        "#......#.2....#",
        "#....>.0..1...#",
        "#......#......#",
        "#......#......#",
        "#......#......#",
        "###############",
    ]
    things = [lambda: Door("blue"), lambda: Ball("red"), lambda: Ball("green")]
    closed = draw(rows, things).first_observation
    assert "blue door 1 (closed): 2 ahead" in closed
    assert "ball" not in closed
    opened = draw(rows, [lambda: Door("blue", is_open=True), *things[1:]]).first_observation
    assert "In sight: blue door 1 (open): 2 ahead; red ball 1: 5 ahead; green ball 1: 4 ahead, 1 left." in opened
