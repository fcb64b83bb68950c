"""The rules that need no browser: answers, addresses, expressions, answers for webarena-verified."""

import pytest

from agentgym_rl.environments.web.webarena.original.answers import exact_match, must_include, string_match
from agentgym_rl.environments.web.webarena.original.functions import Call, Script, read_locator, read_page_address
from agentgym_rl.environments.web.webarena.original.pages import fits
from agentgym_rl.environments.web.webarena.original.urls import post_address, url_match
from agentgym_rl.environments.web.webarena.task_file import Answers, Contents
from agentgym_rl.environments.web.webarena.verified.answers import agent_response


def test_exact_match_without_case_spaces_and_quotes():
    assert exact_match("Quest Band", ' "quest band" ')
    assert not exact_match("Quest Band", "the quest band")


@pytest.mark.parametrize(
    ("reference", "answer", "alone", "passes"),
    [
        ("0", "there are 0 comments", True, True),
        ("0", "there are 10 comments", True, False),
        ("0", "there are 0.5 comments", True, False),
        ("0", "there are 10 comments", False, True),
        ("ten |OR| 10", "about 10", True, True),
        ("Rita", "rita and others", True, True),
        ("Rita", "", True, False),
    ],
)
def test_must_include(reference, answer, alone, passes):
    assert must_include(reference, answer, alone=alone) is passes


def test_string_match_wants_everything():
    answers = Answers(must_include=["7", "Rita"])
    assert string_match(answers, "7 by Rita", "", "", None) == 1.0
    assert string_match(answers, "7", "", "", None) == 0.0
    impossible = Answers(fuzzy_match="N/A")
    assert string_match(impossible, "n/a", "", "no such thing", None) == 1.0
    assert string_match(impossible, "I can't", "", "no such thing", None) == 0.0
    with pytest.raises(ValueError, match="needs a judge"):
        string_match(Answers(fuzzy_match=["other words"]), "x", "", "", None)


@pytest.mark.parametrize(
    ("reference", "address", "passes"),
    [
        ("http://h:1/a", "http://h:1/a/", True),
        ("http://h:1/a", "http://h:1/a/b", True),
        ("http://h:1/a", "http://h:2/a", False),
        ("http://h:1/a |OR| http://h:1/b", "http://h:1/b", True),
        ("http://h:1/a?q=1", "http://h:1/a?q=1&page=2", True),
        ("http://h:1/a?q=1", "http://h:1/a?q=2", False),
        ("http://h:1/a?q=1", "http://h:1/a", False),
        ("http://h:1/a?q=1 |OR| http://h:1/a?q=2", "http://h:1/a?q=2", True),
    ],
)
def test_url_match(reference, address, passes):
    assert url_match(reference, address) == float(passes)


def test_the_address_of_a_post():
    base = "http://h:9"
    assert post_address(f"{base}/f/games/7/a-title/-/comment/3", base) == f"{base}/f/games/7/"
    assert post_address(f"{base}/f/games", base) == f"{base}/f/games"
    assert post_address("http://other/f/games/7", base) == "http://other/f/games/7"


def test_expressions_are_read_never_run():
    assert read_locator("") is None
    assert read_locator("document.title") == Script("document.title")
    assert read_locator("func:gitlab_get_project_memeber_role(__page__, 'me')") == Call(
        "gitlab_get_project_memeber_role", ("__page__", "me")
    )
    assert read_page_address("func:reddit_get_post_url('__last_url__')") == Call("reddit_get_post_url", ("__last_url__",))
    for text in ("func:__import__('os')", "func:reddit_get_post_url(open('x'))", "func:reddit_get_post_url()", "func:a.b()"):
        with pytest.raises(ValueError, match=r"function|argument"):
            read_page_address(text)


def test_contents_are_unescaped():
    assert fits(Contents(must_include=["don't", "a & b"]), "<p>Don&#39;t a &amp; b</p>")
    assert fits(Contents(must_include=["x |OR| y"]), "y")
    assert not fits(Contents(exact_match="1"), "10")


@pytest.mark.parametrize(
    ("answer", "kind", "status", "values"),
    [
        ("Rita", "RETRIEVE", "SUCCESS", ["Rita"]),
        ('["a", "b"]', "RETRIEVE", "SUCCESS", ["a", "b"]),
        ("7", "RETRIEVE", "SUCCESS", [7]),
        ("", "RETRIEVE", "SUCCESS", None),
        ("N/A", "RETRIEVE", "NOT_FOUND_ERROR", None),
        ("permission denied", "MUTATE", "PERMISSION_DENIED_ERROR", None),
        ("done", "MUTATE", "SUCCESS", None),
        ('```json\n{"status": "UNKNOWN_ERROR"}\n```', "NAVIGATE", "UNKNOWN_ERROR", None),
        ('{"task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": [1]}', "MUTATE", "SUCCESS", [1]),
    ],
)
def test_answers_for_webarena_verified(answer, kind, status, values):
    response = agent_response(answer, kind)
    assert (response["status"], response["retrieved_data"]) == (status, values)
    assert response["task_type"] == ("RETRIEVE" if '"task_type"' in answer else kind)
