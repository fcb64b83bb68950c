"""Scripted oracles: what they see, what they may do, and that they reach the goals of their pages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from agentgym_rl.environments.web.browser import BrowserSettings, Element, View, run
from agentgym_rl.environments.web.miniwob.episode import Episode
from agentgym_rl.environments.web.miniwob.offers import offers
from agentgym_rl.environments.web.miniwob.oracles import Situation, known_pages, oracle_for
from agentgym_rl.environments.web.miniwob.pages import pages
from agentgym_rl.environments.web.miniwob.world import HEIGHT, WIDTH

SETTINGS = BrowserSettings(width=WIDTH, height=HEIGHT, scope="page", graphics=True)
SHORT_SEEDS = {"use-slider-2": 1, "form-sequence": 4, "use-spinner": 2, "choose-date": 8, "choose-date-nodelay": 8}
"""Seeds that take few turns, for pages on which some take many; 0 elsewhere."""
AT_ONCE = 4
MOST_TURNS = 60


async def play(page: str, seed: int) -> float:
    """The raw reward of the page's oracle; every action that it takes has to be one that is offered."""
    oracle = oracle_for(page)
    assert oracle is not None
    episode = Episode(page, seed, SETTINGS)
    try:
        view = await episode.begin()
        for _ in range(MOST_TURNS):
            action = oracle(Situation(episode.goal, view))
            assert action is not None, (page, seed, view.text)
            assert action in offers(page, episode.goal, view), (page, seed, action)
            turn = await episode.act(action)
            if turn.done:
                return turn.raw
            view = turn.outcome.view
    finally:
        await episode.close()
    return 0.0


async def play_all(chosen: Iterable[str]) -> dict[str, float]:
    """The rewards by page, some episodes at once."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(page: str) -> tuple[str, float]:
        async with gate:
            return page, await play(page, SHORT_SEEDS.get(page, 0))

    return dict(await asyncio.gather(*(one(page) for page in chosen)))


def test_at_least_sixty_pages_have_an_oracle() -> None:
    assert len(known_pages()) >= 60
    assert set(known_pages()) <= set(pages())
    assert oracle_for("chase-circle") is None


def test_the_documentation_lists_them() -> None:
    text = (Path(__file__).parents[4] / "docs/environments/miniwob.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|[^|]*\| (`.*`) \| \d+ of \d+ \|$", text, re.MULTILINE)
    assert sorted(re.findall(r"`(.*?)`", " ".join(rows))) == list(known_pages())


@pytest.mark.parametrize("page", ["click-button", "enter-text", "click-checkboxes"])
def test_a_page(page: str) -> None:
    assert run(play(page, 0)) == 1.0


@pytest.mark.slow
def test_every_page() -> None:
    rewards = run(play_all(known_pages()))
    assert {page: reward for page, reward in rewards.items() if reward < 1.0} == {}


def seen(goal: str, *elements: Element) -> Situation:
    page = Element(1, "RootWebArea", "A page", 0)
    return Situation(goal, View("", "", "", (page, *elements)))


def test_what_a_situation_tells() -> None:
    field = Element(2, "textbox", "", 1, {"value": "ab", "focused": True}, tag="input", editable=True)
    now = seen('Enter "ab" and "cd" into field 7.', field, Element(3, "button", "Submit", 1), Element(4, "button", "OK", 1))
    assert now.quoted == ["ab", "cd"]
    assert now.part(r"field (\d)") == "7"
    assert now.part("nothing (here)") == ""
    assert now.fields == [field]
    assert now.focused == field
    assert now.find("button", "OK") == now.view[4]
    assert now.find("link") is None
    assert now.button("submit") == "click [3]"
    assert now.button("No") is None
    assert now.fill(field, "ab") is None
    assert now.fill(field, "cd") == "type [2] [cd] [0]"
    assert now.fill_all("ab") is None
    assert now.click(None) is None


def test_a_password_is_told_by_its_length() -> None:
    field = Element(2, "textbox", "", 1, {"value": "••"}, tag="input", editable=True)
    assert seen("", field).fill(field, "AU") is None


def test_an_oracle_that_sees_no_way_on_says_so() -> None:
    oracle = oracle_for("click-menu")
    assert oracle is not None
    assert oracle(seen("Select Ann>Bo")) is None
