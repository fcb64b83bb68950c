"""What is offered: phrases of the question and of what was shown, the likeliest first, never too many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.search.retrieval import Hit, Passage
from agentgym_rl.environments.searchqa import offers, spans
from agentgym_rl.environments.searchqa.actions import read_action
from agentgym_rl.environments.searchqa.candidates import candidates
from agentgym_rl.environments.searchqa.results import shown


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is the capital of the Isle of Man?", ["Isle of Man"]),
        ('Whose anthem is "My, Bielarusy"?', ["My, Bielarusy"]),
        ("Which country has the code .pg?", [".pg"]),
        ("Which is larger, Côte d'Ivoire or Chad?", ["Côte d'Ivoire", "Chad"]),
        ("Burma 2,416 km; Laos 1,845 km", ["Burma", "Laos"]),
        ("a Boeing 747 of 1970", ["Boeing 747 of 1970"]),
        ("no name here", []),
        ("", []),
    ],
)
def test_names(text, names):
    assert spans.names(text) == names


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("What is the highest point of Chad?", ["highest point"]),
        ("Who wrote the lyrics of the national anthem of Tonga?", ["lyrics", "national anthem"]),
        ("Which has more inhabitants, Côte d'Ivoire or South Africa?", ["inhabitants"]),
        ("Who?", []),
    ],
)
def test_topics(text, topics):
    assert spans.topics(text) == topics


def test_choices():
    assert spans.choices("Which has the longer coastline, the Seychelles or Wake Island?") == ["Seychelles", "Wake Island"]
    assert spans.choices("Is it this or that?") == []


def found(contents):
    return shown([Hit(Passage("1", contents), 1.0)], "capital", 500)


def test_the_candidate_whose_label_was_asked_for_comes_first():
    passage = found("Chad: Capital\nChad - Population: total: 19,000,000\nChad - Capital: name: N'Djamena; time: UTC+1")
    assert candidates("What is the capital of Chad?", passage)[0] == "N'Djamena"


def test_what_the_question_says_is_no_candidate():
    assert "Chad" not in candidates("What is the capital of Chad?", found("Chad: Capital\nChad - Capital: name: N'Djamena"))


def test_no_more_is_offered_than_was_asked_for_and_nothing_twice(factbook):
    factbook.reset(seed=0)
    factbook.step("search[national anthem of Chad]")
    offered = factbook.admissible_actions()
    assert offered == sorted(set(offered))
    assert sum(action.startswith("answer") for action in offered) <= 32
    assert sum(action.startswith("search") for action in offered) <= 32


def test_a_query_is_not_offered_again(small):
    world = small()
    query = next(action for action in world.admissible_actions() if action.startswith("search"))
    world.step(query)
    assert query not in world.admissible_actions()


@given(st.text(), st.text(), st.text())
def test_offers_of_any_text_can_be_read(question, title, text):
    passages = found(f"{title}\n{text}")
    for action in [*offers.searches(question, passages, [], 8), *offers.answers(question, passages, 8)]:
        assert read_action(action) is not None
        assert "\n" not in action
