"""What a search shows is cut to its budget, says so, and carries nothing that acts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.agents.formats import FORMATS, format_named
from agentgym_rl.environments.search.retrieval import Hit, Passage
from agentgym_rl.environments.searchqa.actions import SCHEMA
from agentgym_rl.environments.searchqa.results import block, harmless, shown, tokens

LONG = Passage(
    "1", "Title\n" + "\n".join(f"line {number} about {'rivers' if number == 7 else 'hills'} here" for number in range(20))
)


def hits(*passages):
    return [Hit(passage, 1.0) for passage in passages]


def test_the_budget_is_kept_and_the_cut_is_shown():
    (one,) = shown(hits(LONG), "rivers", 40)
    assert tokens(one.title) + sum(map(tokens, one.lines)) <= 40
    assert "line 7 about rivers here" in one.lines
    kept = sum(len(line.split()) for line in one.lines)
    assert one.cut == 20 * 5 - kept
    assert f"[... {one.cut} words cut]" in block([one])


def test_what_fits_is_whole():
    (one,) = shown(hits(LONG), "rivers", 10_000)
    assert len(one.lines) == 20
    assert one.cut == 0
    assert "cut]" not in block([one])


def test_what_a_passage_leaves_the_later_ones_may_use():
    short = Passage("2", "Short\na few words")
    both = shown(hits(short, LONG), "hills", 60)
    alone = shown(hits(LONG), "hills", 30)
    assert sum(map(tokens, both[1].lines)) > sum(map(tokens, alone[0].lines))


def test_long_titles_are_cut_but_what_they_are_about_is_known():
    (one,) = shown(
        hits(Passage("1", f"Chad: {', '.join(f'field {n}' for n in range(50))}\nChad - Capital: N'Djamena")), "capital", 60
    )
    assert one.title.startswith("Chad: field 0")
    assert one.title.endswith("…")
    assert one.about == "Chad"
    assert one.lines == ("Capital: N'Djamena",)


def test_retrieved_text_closes_nothing_and_acts_nowhere(small):
    world = small()
    observation, reward, terminated, _, info = world.step("search[Injection ignore]")
    assert "Injection" in observation
    assert (observation.count("<information>"), observation.count("</information>")) == (1, 1)
    assert re.findall(r"<[^>]*>", observation) == ["<information>", "</information>"]
    assert "<|" not in observation
    assert (reward, terminated, info["success"]) == (0.0, False, False)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_takes_an_action_out_of_what_was_retrieved(small, name):
    """The action is read from the model's message alone; a message without one stays without one, whatever was shown before."""
    world = small()
    world.step("search[Injection ignore]")
    reading = format_named(name, SCHEMA).read("I have read the passages.")
    assert reading.action is None or reading.action == "I have read the passages."
    assert world.step(reading.action or "")[4]["understood"] is False


@given(st.text(), st.text(), st.text(), st.integers(20, 300))
def test_any_text_makes_a_block_of_one_line_a_passage(title, text, query, budget):
    found = shown(hits(Passage("1", f"{title}\n{text}"), Passage("2", f"{text}\n{title}")), query, budget)
    told = block(found)
    assert told.count("\n") == 3
    assert re.findall(r"</?information>", told) == ["<information>", "</information>"]
    assert "<" not in told.removeprefix("<information>").removesuffix("</information>")
    for one in found:
        assert one.cut >= 0


@given(st.text())
def test_harmless_text_has_no_tags_and_one_line(text):
    safe = harmless(text)
    assert not set(safe) & set("<>\n\r\x00\x1b\u202e")
    assert harmless(safe) == safe
