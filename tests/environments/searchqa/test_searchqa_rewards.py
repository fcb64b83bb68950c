"""Tricks earn nothing, also where the optional rewards are on."""

import pytest

QUESTION = "What is the capital of Ardania?"
REWARDS = [{}, {"format_reward": 0.2}, {"retrieval_reward": 0.1}, {"format_reward": 0.2, "retrieval_reward": 0.1}]


def play(world, *actions):
    """The sum of rewards and the last info."""
    earned = 0.0
    info = {"score": 0.0}
    for action in actions:
        if not world.running:
            break
        _, reward, _, _, info = world.step(action)
        earned += reward
    assert earned == pytest.approx(info["score"])
    return earned, info


DUMP = "Ardania is a country. Its capital is Port Vell, and its currency is the crown."
CHEATS = {
    "tag spam": [
        "<think></think>" * 50,
        "<search>Ardania</search><answer>Port Vell</answer>" * 20,
        "answer[<answer></answer>]",
    ],
    "searches alone": ["search[Ardania capital]"] * 5,
    "search spam, then nothing": ["search[Ardania capital]", "search[Osk]", "search[Port Vell]", "answer[]"],
    "answer spam": ["answer[crown, Port Vell, Osk, Mira Sand, 1421]"],
    "answer spam behind a search": ["search[Ardania capital]", "answer[crown Port Vell Osk]"],
    "copying the question": [f"search[{QUESTION}]", f"answer[{QUESTION}]"],
    "a name of the question": ["search[Ardania capital]", "answer[Ardania]"],
    "copying the question as query": [f"search[{QUESTION}]", "answer[crown]"],
    "dumping a passage": ["search[Ardania capital]", f"answer[{DUMP}]"],
    "dumping a sentence": ["search[Ardania capital]", "answer[Its capital is Port Vell, and its currency is the crown]"],
    "a word of nowhere": ["search[Ardania capital]", "answer[nowhere]"],
    "an answer in the format of another": ["search[Ardania capital]", "answer[answer[Port Vell]]"],
    "an article": ["search[Ardania capital]", "answer[the]"],
}


@pytest.mark.parametrize("rewards", REWARDS, ids=str)
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_scripted_cheat_earns_nothing(small, cheat, rewards):
    assert play(small(QUESTION, **rewards), *CHEATS[cheat])[0] == 0.0


@pytest.mark.parametrize("rewards", REWARDS, ids=str)
def test_an_honest_right_answer_scores_one(small, rewards):
    earned, info = play(small(QUESTION, **rewards), "search[capital Ardania]", "answer[Port Vell]")
    assert (earned, info["success"]) == (1.0, True)


def test_a_right_answer_out_of_form_loses_the_format_reward(small):
    settings = {"format_reward": 0.2}
    assert play(small(QUESTION, **settings), "answer[Port Vell]")[0] == pytest.approx(0.8)
    assert play(small(QUESTION, **settings), "search[Ardania]", "nonsense", "answer[Port Vell]")[0] == pytest.approx(0.8)
    assert play(small(QUESTION), "answer[Port Vell]")[0] == 1.0


def test_finding_the_passage_earns_the_retrieval_reward_only_if_set(small):
    actions = ("search[Ardania capital]", "answer[crown]")
    earned, info = play(small(QUESTION, retrieval_reward=0.1), *actions)
    assert earned == pytest.approx(0.1)
    assert not info["success"]
    assert play(small(QUESTION), *actions)[0] == 0.0
    assert play(small(QUESTION, retrieval_reward=0.1, topk=1), "search[Osk longest]", "answer[312]")[0] == 0.0


def test_rewards_come_once(small):
    world = small(QUESTION, attempts=None, retrieval_reward=0.1)
    earned, _ = play(world, "search[Ardania capital]", "answer[crown]", "answer[crown]", "answer[Port Vell]")
    assert earned == 1.0
