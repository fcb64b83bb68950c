"""The MiniWoB++ world."""

from __future__ import annotations

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import UnknownTask
from agentgym_rl.environments.web.miniwob.pages import FAMILIES, pages


@pytest.fixture(scope="module")
def world():
    with agentgym_rl.make("miniwob") as made:
        yield made


def begin(world, id):
    return world.reset(seed=0, options={"task": id})[0]


def test_all_pages_are_in_every_split():
    assert len(pages()) == 130
    train = agentgym_rl.tasks("miniwob", "train")
    assert {task.data["page"] for task in train} == set(pages())
    assert set(train.categories) == set(FAMILIES)


def test_ids_say_what_they_are():
    task = agentgym_rl.tasks("miniwob", "test")["click-test-2/20000"]
    assert (task.data, task.category) == ({"page": "click-test-2", "seed": 20_000}, "click")


def test_observation_is_the_goal_and_the_elements(world):
    assert begin(world, "click-test-2/0") == "Goal: Click button ONE.\n[2] button 'ONE'\n[3] button 'TWO'"


@pytest.mark.parametrize(("action", "reward"), [("click [2]", 1.0), ("click [3]", 0.0)])
def test_the_raw_reward_decides(world, action, reward):
    begin(world, "click-test-2/0")
    observation, earned, terminated, truncated, info = world.step(action)
    assert (earned, terminated, truncated) == (reward, True, False)
    assert (info["score"], info["success"], info["raw_reward"]) == (reward, reward == 1.0, 2 * reward - 1)
    assert observation == ("The goal is reached." if reward else "The episode is over: the goal is missed.")


@pytest.mark.slow
def test_partial_rewards_are_scores(world):
    begin(world, "find-greatest/0")
    world.step("click [2]")
    raw = []
    for card in (2, 3, 4):
        begin(world, "find-greatest/0")
        world.step(f"click [{card}]")
        submit = next(action for action in world.admissible_actions() if action == "click [5]")
        raw.append(world.step(submit)[4])
    assert sorted(info["score"] for info in raw) == [0.1, 0.1, 1.0]
    assert sum(info["success"] for info in raw) == 1


@pytest.mark.slow
def test_rewards_do_not_decay_with_time(world):
    begin(world, "click-test-2/0")
    for _ in range(15):
        world.step("press [Shift]")
    assert world.step("click [2]")[1] == 1.0


@pytest.mark.slow
def test_pages_clocks_run_by_turns(world):
    begin(world, "button-delay/0")
    assert "wait" in world._episode.goal
    first = begin(world, "stock-market/3")
    again = begin(world, "stock-market/3")
    assert first == again
    seen = [world.step("press [Shift]")[0] for _ in range(3)]
    begin(world, "stock-market/3")
    assert [world.step("press [Shift]")[0] for _ in range(3)] == seen


@pytest.mark.parametrize(
    "page", ["find-greatest", "click-pie", "simon-says", "guess-number", "click-collapsible", "email-inbox"]
)
def test_nothing_hidden_is_told(world, page):
    text = begin(world, f"{page}/0")
    for hidden in ("reward", "Episodes done", "Time left", "START", "Last reward"):
        assert hidden not in text
    if page == "find-greatest":
        assert not any(
            character.isdigit() for line in text.split("\n")[1:4] for character in line.split("'")[1].split("#")[0]
        )


def test_a_colour_that_the_goal_shows_is_written(world):
    assert "Select the following color with the color picker and hit Submit. #0198e3" in begin(world, "use-colorwheel-2/0")


def test_actions_by_name():
    with agentgym_rl.make("miniwob", names=True) as world:
        begin(world, "click-test-2/0")
        assert world.admissible_actions() == ["click button 'ONE'", "click button 'TWO'"]
        assert world.expert_action() == "click button 'ONE'"
        assert world.step("click button 'ONE'")[1] == 1.0
        begin(world, "enter-text/0")
        action = "type textbox '' [Agustina] [0]"
        assert action in world.admissible_actions()
        assert "value: 'Agustina'" in world.step(action)[0]


def test_the_goals_texts_are_offered(world):
    begin(world, "enter-text/0")
    assert "type [2] [Agustina] [0]" in world.admissible_actions()


def test_an_action_that_is_none_is_told_the_grammar(world):
    begin(world, "click-test-2/0")
    for action in ("goto [http://127.0.0.1/]", "dance", "new_tab"):
        observation, _, _, _, info = world.step(action)
        assert "This is no action here. Actions: click [id]; type [id] [text]" in observation
        assert not info["understood"]


def test_stop_gives_up(world):
    begin(world, "click-test-2/0")
    _, reward, terminated, _, info = world.step("stop [done]")
    assert (reward, terminated, info["success"]) == (0.0, True, False)


def test_a_screenshot():
    with agentgym_rl.make("miniwob", image=True) as world:
        observation = begin(world, "click-color/0")
        assert observation in world.observation_space
        assert (observation["image"].reshape(-1, 3) == [255, 0, 0]).all(axis=1).any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pages": ["click-tests"]}, "there is no page 'click-tests'; nearest: click-test"),
        ({"pages": []}, "pages must name at least one page"),
        ({"image": 1}, "image must be true or false, not 1"),
        ({"names": "yes"}, "names must be true or false, not 'yes'"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        agentgym_rl.make("miniwob", **settings)


def test_no_browser_is_one_line():
    with pytest.raises(ImportError, match=r"no browser at '/no/such' \(executable\): install Debian's"):
        agentgym_rl.make("miniwob", browser="/no/such")


def test_unknown_tasks(world):
    with pytest.raises(UnknownTask):
        begin(world, "click-test-2/99999999")


@pytest.mark.slow
def test_every_page_is_shown_with_something_to_do(world):
    for page in pages():
        text = begin(world, f"{page}/0")
        assert text.startswith("Goal: ")
        assert len(text.split("\n")) > 1, page
        assert world.admissible_actions()
