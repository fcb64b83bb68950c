"""Frames of other origins: read, and acted in, as if they were part of the page."""

from __future__ import annotations

import pytest

from agentgym_rl.environments.web.browser import BrowserSettings, run, session
from agentgym_rl.environments.web.browser.world import IsolatedWorld

BUTTON = "<button onclick=\"this.textContent='clicked'\">{}</button>"


@pytest.fixture
def other(pages):
    """The same server under another name: another site."""
    return f"localhost:{pages.host.partition(':')[2]}"


@pytest.fixture
def play(pages, other):
    """``play(html, step, ...)``: the views, first and after each step: an action made from the view before it, or a script."""

    def play(page, *steps, **settings):
        pages.answers["/"] = page

        async def go():
            async with session(BrowserSettings(hosts=(pages.host, other), **settings)) as opened:
                await opened.goto(pages.url())
                seen = [await opened.observe()]
                notes = []
                for step in steps:
                    if isinstance(step, str):
                        await opened.evaluate(step)
                        continue
                    outcome = await opened.act(step(opened.view))
                    seen.append(outcome.view)
                    notes.append(outcome.notes)
                return seen, notes

        return run(go())

    return play


def names(view):
    return [f"{element.role} {element.name}".strip() for element in view.elements[1:]]


def on(role, name, verb="click [{}]"):
    return lambda view: verb.format(next(each.id for each in view.elements if (each.role, each.name) == (role, name)))


def test_a_frame_of_another_site_and_one_in_it(pages, other, play):
    pages.answers["/inner"] = f"{BUTTON.format('inner')}<iframe src=http://{pages.host}/deeper></iframe>"
    pages.answers["/deeper"] = "<input aria-label=name><p>deep</p>"
    page = f"{BUTTON.format('before')}<iframe src=http://{other}/inner title=one style='margin:30px;height:400px'></iframe>"
    page += BUTTON.format("after")
    seen, notes = play(
        page,
        on("button", "after"),
        on("button", "inner"),
        on("textbox", "name", "type [{}] [Ada] [0]"),
        on("button", "before"),
    )
    expected = ["button before", "Iframe one", "button inner", "Iframe", "textbox name", "StaticText deep", "button after"]
    assert names(seen[0]) == expected
    assert [element.depth for element in seen[0].elements] == [0, 1, 1, 2, 2, 3, 3, 1]
    assert names(seen[1])[-1] == "button clicked"
    assert names(seen[2])[2] == "button clicked"
    assert seen[3].elements[5].properties["value"] == "Ada"
    assert names(seen[4])[0] == "button clicked"
    assert notes == [()] * 4
    outer, button, inner, field = (seen[0].elements[place].box for place in (2, 3, 4, 5))
    assert outer[0] < button[0] < outer[0] + outer[2]
    assert inner[1] < field[1] < inner[1] + inner[3] < outer[1] + outer[3]


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe src='data:text/html,<button>inner</button><p>more'></iframe>",
        "<iframe sandbox srcdoc='<button>inner</button><p>more'></iframe>",
        "<iframe sandbox='allow-scripts' src=/inner></iframe>",
    ],
)
def test_frames_without_a_site(pages, play, frame):
    pages.answers["/inner"] = "<button>inner</button><p>more"
    seen, notes = play(frame, on("button", "inner"))
    assert names(seen[0]) == ["Iframe", "button inner", "StaticText more"]
    assert seen[1].elements[2].properties["focused"]
    assert notes == [()]


def test_what_covers_an_element_of_a_frame_is_named(pages, other, play):
    over = "<button id=over style='position:fixed;inset:0'>over</button>"
    pages.answers["/inner"] = BUTTON.format("inner")
    frame = f"<iframe src=http://{other}/inner></iframe>"
    _, notes = play(f"{frame}<i></i>", f"document.querySelector('i').outerHTML = \"{over}\"", on("button", "inner"))
    assert notes == [("Element [3] button 'inner' is covered by button#over; nothing was clicked.",)]
    _, notes = play(frame + over, on("button", "inner"))
    assert notes == [("Element [3] button 'inner' is covered by [4] button 'over'; nothing was clicked.",)]
    pages.answers["/inner"] = BUTTON.format("inner") + over
    _, notes = play(f"<p>text</p>{frame}", on("button", "inner"))
    assert notes == [("Element [4] button 'inner' is covered by [5] button 'over'; nothing was clicked.",)]


def test_what_is_out_of_sight_in_a_frame_is_scrolled_to(pages, other, play):
    pages.answers["/inner"] = f"<div style='height:3000px'></div>{BUTTON.format('inner')}"
    page = f"<div style='height:2000px'></div><iframe src=http://{other}/inner></iframe>"
    assert names(play(page)[0][0]) == []  # of what can be seen
    seen, notes = play(page, on("button", "inner"), scope="page")
    assert names(seen[1]) == ["Iframe", "button clicked"]
    assert notes == [()]


def test_a_frame_that_went_away_or_elsewhere(pages, other, play):
    pages.answers["/inner"] = BUTTON.format("inner")
    pages.answers["/next"] = "<p>next</p>"
    frame = f"<iframe src=http://{other}/inner></iframe>"
    stale = "Element [3] button 'inner' is stale: the page changed, and no such element is there now; nothing was clicked."
    seen, notes = play(frame, "document.querySelector('iframe').remove()", on("button", "inner"))
    assert names(seen[-1]) == []
    assert notes == [(stale,)]
    follow = f"<a href=http://{other}/next>on</a>{BUTTON.format('inner')}"
    pages.answers["/inner"] = follow
    seen, notes = play(frame, on("link", "on"))
    assert names(seen[-1]) == ["Iframe", "StaticText next"]
    assert notes == [()]


def test_a_frame_that_is_found_again(pages, other, play):
    pages.answers["/inner"] = BUTTON.format("inner")
    seen, notes = play(
        f"<div><iframe src=http://{other}/inner></iframe></div>",
        "new Promise((done) => { const frame = document.querySelector('iframe'); frame.onload = done; frame.src += '?again' })",
        on("button", "inner"),
    )
    assert names(seen[-1]) == ["Iframe", "button clicked"]
    assert notes == [()]


def test_very_many_frames_are_listed_and_some_are_read(pages, other, play):
    pages.answers["/inner"] = "<p>inner</p>"
    seen, _ = play(f"<iframe src=http://{other}/inner></iframe>" * 25, scope="page")
    assert names(seen[0]).count("Iframe") == 25
    assert names(seen[0]).count("StaticText inner") == 20


def test_a_page_that_frames_itself_without_end(pages, other, play):
    pages.answers["/inner"] = (
        f"<p>inner</p><iframe src=http://{other}/inner?x></iframe><iframe src=http://{pages.host}/inner?y></iframe>"
    )
    seen, _ = play(f"<iframe src=http://{other}/inner></iframe>", scope="page")
    assert 1 <= names(seen[0]).count("StaticText inner") <= 40


def test_the_tree_of_every_document_is_kept(pages, other, play, monkeypatch):
    """Contexts of documents in two processes may have one number."""
    kept = []
    original = IsolatedWorld._keep_tree
    monkeypatch.setattr(IsolatedWorld, "_keep_tree", lambda self, frame: kept.append(frame) or original(self, frame))
    pages.answers["/next"] = "<p>next</p>"
    sites = (f"http://{other}/next", pages.url("/next"), f"http://{other}/next")
    seen, _ = play("<p>first</p>", *(lambda _, site=site: f"goto [{site}]" for site in sites))
    assert [names(view) for view in seen] == [["StaticText first"], *[["StaticText next"]] * 3]
    assert len(kept) == 4
