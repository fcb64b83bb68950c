"""High-level actions in rooms made by hand: what can be done, what it does, what is said when it can't."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from minigrid.core.world_object import Ball, Box, Door, Key
from minigrid.envs.babyai.core.verifier import ObjDesc, PickupInstr

from agentgym_rl.environments.babyai.actions import read

ROOM = [
    "########",
    "#...1..#",
    "#......#",
    "#......#",
    "#.0.^2.#",
    "#......#",
    "#......#",
    "########",
]
TWO_ROOMS = [
    "###############",
    "#......#......#",
    "#......#......#",
    "#..1.>.0..2...#",
    "#......#......#",
    "#......#......#",
    "#......#......#",
    "###############",
]


def never(_things):
    """A mission that nothing here fulfils by chance: the purple box is nowhere else."""
    return PickupInstr(ObjDesc("ball", "yellow"))


@pytest.fixture
def room(draw):
    return draw(ROOM, [lambda: Ball("yellow"), lambda: Ball("red"), lambda: Box("blue")], never)


def place(world):
    simulation = world._episode.simulation
    return simulation.agent % simulation.width, simulation.agent // simulation.width, simulation.direction


def test_admissible_actions_nearest_first(room):
    assert room.admissible_actions() == [
        "go to blue box 1",
        "pick up blue box 1",
        "go to yellow ball 1",
        "pick up yellow ball 1",
        "go to red ball 1",
        "pick up red ball 1",
        "move forward",
        "turn left",
        "turn right",
    ]


def test_go_to_ends_in_front_of_the_thing_by_the_shortest_way(room):
    observation, reward, terminated, truncated, info = room.step("go to red ball 1")
    assert place(room) == (4, 2, 3)
    assert "In front: red ball 1." in observation
    assert (reward, terminated, truncated, info["understood"]) == (0.0, False, False, True)
    assert room._episode.simulation.env.step_count == 2
    assert "go to red ball 1" not in room.admissible_actions()
    assert room.step("go to red ball 1")[0].startswith("You can't go to red ball 1: you already face red ball 1.")


def test_pick_up_carry_and_drop(room):
    assert "Carrying: blue box." in room.step("pick up blue box 1")[0]
    assert not any(action.startswith("pick up") for action in room.admissible_actions())
    assert "you already carry a blue box" in room.step("pick up red ball 1")[0]
    assert "drop" in room.admissible_actions()
    observation = room.step("drop")[0]
    assert "In front: blue box 1. Carrying: nothing." in observation
    assert "you carry nothing" in room.step("drop")[0]


def test_drop_needs_an_empty_place(room):
    room.step("pick up blue box 1")
    room.step("go to red ball 1")
    assert "drop" not in room.admissible_actions()
    assert "is not empty" in room.step("drop")[0]


def test_toggling_a_box_opens_it(room):
    assert "no door or box right in front" in room.step("toggle")[0]
    room.step("go to blue box 1")
    assert "toggle" in room.admissible_actions()
    assert "blue box" not in room.step("toggle")[0]


def test_a_box_in_hand_is_another_state_than_a_box_gone(draw):
    rows = ["########", "#.....1#", "#......#", "#......#", "#......#", "#..0...#", "#..^...#", "########"]
    things = [lambda: Box("blue"), lambda: Ball("yellow")]
    keys = {action: draw(rows, things, never).step(action)[4]["state_key"] for action in ("pick up blue box 1", "toggle")}
    assert len(set(keys.values())) == 2


def test_turn_and_move(room):
    room.step("turn left")
    room.step("turn right")
    room.step("turn right")
    assert place(room) == (4, 4, 0)
    assert "a blue box is in the way" in room.step("move forward")[0]
    room.step("turn left")
    room.step("move forward")
    assert place(room) == (4, 3, 3)


def test_what_is_not_in_sight_can_not_be_reached(room):
    assert "there is no green key 1 in sight" in room.step("go to green key 1")[0]
    room.step("turn right")
    assert "there is no yellow ball 1 in sight" in room.step("go to yellow ball 1")[0]


def boxes(number):
    return [lambda: Box("red") for _ in range(number)]


def test_no_way_past_a_row_of_boxes(draw):
    rows = ["########", "#..0...#", "#123456#", "#......#", "#..^...#", "#......#", "#......#", "########"]
    world = draw(rows, [lambda: Ball("yellow"), *boxes(6)], never)
    assert "yellow ball 1: 3 ahead" in world.first_observation
    assert not any("yellow ball" in action for action in world.admissible_actions())
    assert "no free way to yellow ball 1 is known" in world.step("pick up yellow ball 1")[0]


def test_ways_lead_only_where_the_agent_has_looked(draw):
    rows = ["########", "#..0...#", "#......#", "#..1...#", "#.2^3..#", "#......#", "#......#", "########"]
    world = draw(rows, [lambda: Ball("yellow"), *boxes(3)], never)
    assert "no free way to yellow ball 1 is known" in world.step("go to yellow ball 1")[0]
    for turn in ("turn left", "turn left", "turn left", "turn left"):
        world.step(turn)
    assert "In front: yellow ball 1." in world.step("go to yellow ball 1")[0]


def test_closed_door(draw):
    world = draw(TWO_ROOMS, [lambda: Door("blue"), lambda: Ball("yellow"), lambda: Ball("red")], never)
    assert [a for a in world.admissible_actions() if "door" in a] == [
        "go to blue door 1",
        "toggle and go through blue door 1",
    ]
    assert "blue door 1 is closed" in world.step("go through blue door 1")[0]
    assert "a door can't be picked up" in world.step("pick up blue door 1")[0]
    observation = world.step("toggle and go through blue door 1")[0]
    assert place(world) == (7, 3, 0)
    assert "red ball 1: 3 ahead" in observation
    assert "blue door" not in observation, "one does not see the door one stands in"


def test_open_door(draw):
    things = [lambda: Door("blue", is_open=True), lambda: Ball("yellow"), lambda: Ball("red")]
    world = draw(TWO_ROOMS, things, never)
    assert "go through blue door 1" in world.admissible_actions()
    assert "blue door 1 is already open" in world.step("toggle and go through blue door 1")[0]
    world.step("go to blue door 1")
    assert place(world) == (6, 3, 0)
    assert "blue door 1 (closed)" in world.step("toggle")[0]
    world.step("toggle")
    world.step("go through blue door 1")
    assert place(world) == (7, 3, 0)


def test_locked_door_needs_its_key(draw):
    things = [lambda: Door("blue", is_locked=True), lambda: Key("blue"), lambda: Ball("red")]
    world = draw(TWO_ROOMS, things, lambda _: PickupInstr(ObjDesc("ball", "red")))
    assert "blue door 1 (locked)" in world.first_observation
    action = "toggle and go through blue door 1"
    assert action not in world.admissible_actions()
    assert "locked and you do not carry its key" in world.step(action)[0]
    world.step("go to blue door 1")
    assert "toggle" not in world.admissible_actions()
    assert "is locked and you do not carry its key" in world.step("toggle")[0]
    for step in ("turn left", "turn left", "pick up blue key 1", "turn left", "turn left", action):
        assert step in world.admissible_actions()
        world.step(step)
    assert place(world) == (7, 3, 0)
    assert "red ball 1" in world.step("move forward")[0]


def test_an_action_stops_where_the_episode_ends(draw):
    rows = ["########", "#......#", "#......#", "#1.0...#", "#......#", "#......#", "#..^...#", "########"]
    world = draw(rows, [lambda: Ball("red"), lambda: Ball("green")])
    observation, reward, terminated, truncated, info = world.step("pick up red ball 1")
    assert observation == "Goal reached."
    assert (terminated, truncated, info["success"]) == (True, False, True)
    assert world._episode.simulation.carrying is None, "facing the ball is the goal; it is not picked up any more"
    assert reward == info["score"] == pytest.approx(1 - 0.9 * 2 / 64)


def test_an_action_stops_where_the_steps_run_out(draw):
    rows = ["########", "#.....1#", "#..0...#", "#......#", "#......#", "#......#", "#..^...#", "########"]
    world = draw(rows, [lambda: Ball("red"), lambda: Ball("yellow")], never, max_steps=2)
    observation, reward, terminated, truncated, info = world.step("go to red ball 1")
    assert observation == "No steps are left."
    assert (reward, terminated, truncated, info["success"], info["score"]) == (0.0, False, True, False, 0.0)
    assert place(world) == (3, 4, 3)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("go to red ball 1", ("go to", "red ball 1")),
        ("  Go  to the RED ball 12. ", ("go to", "red ball 12")),
        ("go to red ball", ("go to", "red ball 1")),
        ("pickup grey key 2", ("pick up", "grey key 2")),
        ("toggle and go through blue door 1", ("toggle and go through", "blue door 1")),
        ("toggle", ("toggle", "")),
        ("", None),
        ("go", None),
        ("go to the moon", None),
        ("go to red ball 1 and turn left", None),
        ("go to red ball ١", None),
        ("go to red ball 1\x00", None),
    ],
)
def test_reading_an_action(text, meaning):
    assert read(text) == meaning


WORDS = st.sampled_from(
    ["go", "to", "pick", "up", "through", "toggle", "and", "red", "ball", "key", "door", "1", "2", "the", "drop"]
)


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join)))
def test_whatever_is_read_names_itself(text):
    """What was read, written out, is read the same."""
    if (meaning := read(text)) is not None:
        assert read(" ".join(filter(None, meaning))) == meaning


def test_an_unknown_action_names_the_possible_ones(room):
    before = room._episode.simulation.state_key()
    observation, *_, info = room.step("fly to the moon")
    assert info == {"score": 0.0, "success": False, "understood": False, "state_key": before}
    assert observation.startswith("That is no action here. You can: go to blue box 1, pick up blue box 1,")
    assert "In sight: blue box 1" in observation
    assert room._episode.simulation.env.step_count == 0
