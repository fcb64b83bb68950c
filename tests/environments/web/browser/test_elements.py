"""Elements that can't be acted on: which of these they are, in words."""

from __future__ import annotations

import pytest

from agentgym_rl.environments.web.browser import BrowserSettings, run, session


@pytest.fixture
def after(pages):
    """``after(html, script, action)``: what an action leads to on a page that ``script`` changed since it was shown."""

    def after(page, script, action):
        pages.answers["/"] = page

        async def play():
            async with session(BrowserSettings(hosts=(pages.host,))) as opened:
                await opened.goto(pages.url())
                await opened.observe()
                await opened.evaluate(script)
                return await opened.act(action), await opened.evaluate("window.clicks ?? 0")

        return run(play())

    return after


BUTTON = "<button onclick='window.clicks = (window.clicks ?? 0) + 1'>Buy</button>"


def test_an_element_that_never_was(after):
    outcome, _ = after(BUTTON, "", "click [77]")
    assert outcome.notes == ("There is no element [77]; the elements are [1] to [2].",)
    assert outcome.understood


def test_stale_and_gone(after):
    outcome, clicks = after(BUTTON, "document.querySelector('button').remove()", "click [2]")
    expected = "Element [2] button 'Buy' is stale: the page changed, and no such element is there now; nothing was clicked."
    assert outcome.notes == (expected,)
    assert clicks == 0


def test_stale_and_found_again(after):
    outcome, clicks = after(
        f"<div>{BUTTON}</div>", "document.body.innerHTML = document.body.innerHTML + '<p>new</p>'", "click [2]"
    )
    assert outcome.notes == ()
    assert clicks == 1


def test_stale_and_ambiguous(after):
    outcome, clicks = after(BUTTON, "document.body.innerHTML += document.body.innerHTML", "click [2]")
    expected = "Element [2] button 'Buy' is stale: the page changed, and 2 such elements are there now; nothing was clicked."
    assert outcome.notes == (expected,)
    assert clicks == 0


def test_another_page_by_now(pages):
    pages.answers["/"] = BUTTON
    pages.answers["/next"] = f"<h1>Next</h1>{BUTTON}"

    async def play():
        async with session(BrowserSettings(hosts=(pages.host,))) as opened:
            await opened.goto(pages.url())
            await opened.observe()
            await opened.evaluate("setTimeout(() => { location.href = '/next' })")
            await opened.page.wait_for_url("**/next")
            return await opened.act("click [2]"), await opened.evaluate("window.clicks")

    outcome, clicks = run(play())
    assert outcome.view.url.endswith("/next")
    assert (outcome.notes, clicks) == ((), 1)


def test_covered(after):
    cover = (
        "document.body.insertAdjacentHTML('beforeend', "
        "\"<div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:white'>Accept?</div>\")"
    )
    outcome, clicks = after(BUTTON, cover, "click [2]")
    assert outcome.notes == ("Element [2] button 'Buy' is covered by div; nothing was clicked.",)
    assert clicks == 0


def test_covered_by_something_known(after):
    page = BUTTON + "<div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:white'>Accept?</div>"
    outcome, clicks = after(page, "", "click [2]")
    assert outcome.notes == ("Element [2] button 'Buy' is covered by [3] dialog 'Cookies'; nothing was clicked.",)
    assert clicks == 0


def test_half_covered_is_clicked_where_it_is_seen(after):
    page = (
        "<body style='margin:0'><button style='width:200px;height:40px' onclick='window.clicks = 1'>Buy</button>"
        "<div style='position:fixed;left:70px;top:0;width:60px;height:60px;background:red'></div>"
    )
    assert after(page, "", "click [2]")[1] == 1


def test_what_is_covered_up_to_an_edge_is_clicked_there(after):
    page = (
        "<body style='margin:0'><button style='width:200px;height:40px' onclick='window.clicks = 1'>Buy</button>"
        "<div style='position:fixed;left:0;top:0;width:180px;height:60px;background:red'></div>"
    )
    assert after(page, "", "click [2]")[1] == 1


@pytest.mark.parametrize("script", ["style.display = 'none'", "style.visibility = 'hidden'", "hidden = true"])
def test_hidden(after, script):
    outcome, clicks = after(BUTTON, f"document.querySelector('button').{script}", "click [2]")
    assert outcome.notes == ("Element [2] button 'Buy' is hidden; nothing was clicked.",)
    assert clicks == 0


def test_disabled(after):
    outcome, clicks = after(BUTTON, "document.querySelector('button').disabled = true", "click [2]")
    assert outcome.notes == ("Element [2] button 'Buy' is disabled; nothing was clicked.",)
    assert clicks == 0


@pytest.mark.parametrize(
    "page", ["<select><option>a<option disabled>b</select>", "<select disabled><option>a<option>b</select>"]
)
def test_a_disabled_option(after, page):
    outcome, _ = after(page, "", "click [4]")
    assert outcome.notes == ("Element [4] option 'b' is disabled; nothing was clicked.",)


def test_text_where_none_can_be_typed(after):
    outcome, _ = after(BUTTON, "", "type [2] [text] [0]")
    assert outcome.notes == ("Element [2] button 'Buy' takes no text; nothing was typed.",)


def test_out_of_sight_is_scrolled_to(after):
    page = f"<div style='height:300px;overflow:auto'><div style='height:5000px'>long</div>{BUTTON}</div>"
    outcome, clicks = after(page, "document.querySelector('div').scrollTop = 6000", "click [3]")
    assert clicks in (0, 1)
    assert outcome.understood


def test_a_frame_that_is_covered(pages, after):
    pages.answers["/inner"] = BUTTON
    page = "<iframe src=/inner></iframe><div id=over style='position:fixed;inset:0;background:white'></div>"
    outcome, clicks = after(page, "", "click [3]")
    assert outcome.notes == ("Element [3] button 'Buy' is covered by div#over; nothing was clicked.",)
    assert clicks == 0
