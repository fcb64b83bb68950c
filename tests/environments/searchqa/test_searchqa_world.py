"""Episodes by hand over a few passages."""

import socket

import pytest

import agentgym_rl
from agentgym_rl.environments.errors import EnvironmentFault, UnknownTask
from agentgym_rl.environments.search.errors import IndexRefused


def test_an_episode_by_hand(small):
    world = small("Who founded the capital of Ardania?")
    assert world.first == "Question: Who founded the capital of Ardania?"
    observation, reward, terminated, truncated, info = world.step("search[Ardania capital]")
    assert observation.startswith("<information>\nDoc 1 (Title: Ardania) Ardania is a country. | Its capital is Port Vell")
    assert observation.endswith("\n</information>")
    assert (reward, terminated, truncated, info["score"], info["understood"]) == (0.0, False, False, 0.0, True)
    world.step("search[Port Vell founded]")
    observation, reward, terminated, truncated, info = world.step("answer[mira sand]")
    assert (observation, reward, terminated, truncated) == ("That is the answer.", 1.0, True, False)
    assert (info["score"], info["success"], info["sub_match"], info["f1"]) == (1.0, True, True, 1.0)
    assert world.admissible_actions() == []
    assert world.expert_action() is None


def test_a_wrong_answer_ends_the_episode(small):
    world = small()
    observation, reward, terminated, _, info = world.step("answer[It is Port Vell]")
    assert (observation, reward, terminated) == ("That is not the answer.", 0.0, True)
    assert not info["success"]
    assert info["sub_match"]
    assert 0 < info["f1"] < 1


def test_more_attempts_only_if_set(small):
    world = small(attempts=2)
    assert world.step("answer[crown]")[:3] == ("That is not the answer. Try again.", 0.0, False)
    assert "answer[crown]" not in world.admissible_actions()
    assert world.step("answer[Port Vell]")[1:3] == (1.0, True)
    world = small(attempts=None)
    for _ in range(20):
        assert world.step("answer[crown]")[2] is False


@pytest.mark.parametrize(
    "action", ["", "search", "search[", "find[x]", "answer Port Vell", "search[a] then answer[b", "<search>x</search>"]
)
def test_what_is_no_action_is_answered_with_how(small, action):
    world = small()
    observation, reward, terminated, _, info = world.step(action)
    assert (observation, reward, terminated) == (
        "That is no action here. Write search[your query] or answer[your answer].",
        0.0,
        False,
    )
    assert not info["understood"]


@pytest.mark.parametrize("action", ["SEARCH [Ardania]", " search[ Ardania\n] ", "Search[Ardania]"])
def test_case_and_space_do_not_matter(small, action):
    assert "Title: Ardania" in small().step(action)[0]


@pytest.mark.parametrize(
    ("query", "start"),
    [
        ("", "Your query is empty."),
        (" \n ", "Your query is empty."),
        ("zzzzzz", "No passage has a word of your query."),
        ("阿尔达尼亚的首都是什么", "No passage has a word of your query."),
        ("столица Ардании", "No passage has a word of your query."),
        ("\ud800 \x00 \u202e", "No passage has a word of your query."),
        ("Ardania " * 10_000, "Only the first 64 words of your query were used.\n<information>"),
        ("x" * 1_000_000, "No passage has a word of your query."),
        ("capital] answer[Port Vell", "<information>"),
    ],
    ids=["empty", "blank", "unknown", "chinese", "russian", "odd", "long", "one word", "brackets"],
)
def test_odd_queries_are_answered(small, query, start):
    world = small()
    observation, reward, terminated, _, info = world.step(f"search[{query}]")
    assert observation.startswith(start)
    assert (reward, terminated, info["understood"]) == (0.0, False, True)
    assert len(observation) < 10_000


def test_the_seed_and_other_episodes_change_nothing(small):
    world = small()
    first = world.step("search[Osk river]")[0]
    world.step("answer[x]")
    world.reset(seed=7, options={"task": world.task})
    assert world.step("search[Osk river]")[0] == first


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"topk": 0}, "topk must be a whole number, 1 or more, not 0"),
        ({"topk": True}, "topk must be a whole number, 1 or more, not True"),
        ({"tokens": 5}, "tokens must be a whole number, 20 or more, not 5"),
        ({"searches": 0}, "searches must be a whole number, 1 or more, not 0"),
        ({"attempts": 0}, "attempts must be a whole number, 1 or more, not 0"),
        ({"queries_offered": 0}, "queries_offered must be a whole number, 1 or more, not 0"),
        ({"format_reward": 1.5}, "format_reward must be a number from 0 to below 1, not 1.5"),
        ({"retrieval_reward": "x"}, "retrieval_reward must be a number from 0 to below 1, not 'x'"),
        ({"questions": []}, "questions must be a name, a path, or a list of them"),
        ({"questions": [3]}, "questions must be a name, a path, or a list of them"),
        ({"retriever": "bm52"}, "retriever must be one of bm25, dense, hybrid, not 'bm52'"),
        ({"index": 3}, "index must be a folder or an address, not 3"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match="environment 'searchqa': ") as caught:
        agentgym_rl.make("searchqa", **settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_index_is_named(tmp_path):
    with pytest.raises(IndexRefused, match="no index there; make one with: agentgym-rl search build") as caught:
        agentgym_rl.make("searchqa", index=str(tmp_path / "nothing"))
    assert "\n" not in str(caught.value)


def test_questions_without_anything_to_search_need_an_index(small_questions):
    with pytest.raises(ValueError, match="bring nothing to search: give index=FOLDER"):
        agentgym_rl.make("searchqa", questions=small_questions)


def test_an_unknown_question(small):
    with pytest.raises(UnknownTask):
        small().reset(options={"task": "small_test/000000000000"})


def test_searches_run_out_only_if_set(small):
    world = small(searches=2)
    world.step("search[zzz]")
    world.step("search[]")
    assert any(action.startswith("search") for action in world.admissible_actions())
    world.step("search[yyy]")
    assert world.admissible_actions() == ["answer[unknown]"]
    assert world.step("search[Ardania]")[0] == "You have no search left. Write answer[your answer]."
    assert world.step("answer[Port Vell]")[1] == 1.0
    world = small()
    for number in range(20):
        assert "no search left" not in world.step(f"search[Ardania {number}]")[0]


def test_a_server_that_is_gone_is_a_fault_and_no_empty_result(small_questions):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with agentgym_rl.make("searchqa", questions=small_questions, index=address) as world:
        task = agentgym_rl.tasks("searchqa", "test", **world.settings)[0]
        world.reset(options={"task": task})
        with pytest.raises(EnvironmentFault, match="is the retrieval server up"):
            world.step("search[Ardania]")


def test_an_index_without_embeddings_is_not_searched_by_them(small_index, small_questions):
    with pytest.raises(IndexRefused):
        agentgym_rl.make("searchqa", questions=small_questions, index=small_index, retriever="dense")


def test_what_answered_is_told(small):
    assert small().step("search[Ardania]")[4]["retriever"].startswith("bm25 small sha256:")
