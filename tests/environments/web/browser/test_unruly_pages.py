"""Pages that do what pages should not."""

from __future__ import annotations

import threading

import pytest
from stub_sites.server import Response

from agentgym_rl.environments.errors import DeadlinePassed
from agentgym_rl.environments.web.browser import BrowserSettings, on_browser_loop, run, session, tab

BUTTON = '<button onclick="{}">Go</button>'


def test_alerts_are_accepted_and_told(visit, on):
    page = (
        BUTTON.format("alert('Hello'); said.textContent = confirm('Sure?') + ' ' + prompt('Who?')")
        + "<p id=said>nothing</p>"
    )
    _, (outcome,) = visit(page, on("button", "Go"))
    assert [note.split(": ", 1)[1] for note in outcome.notes] == ["'Hello'", "'Sure?'", "'Who?'"]
    assert any(element.name == "true" for element in outcome.view.elements)


def test_an_alert_loop_costs_the_tab(visit, on):
    _, (outcome,) = visit(BUTTON.format("for (;;) alert('again')"), on("button", "Go"))
    assert "The page opened more than 20 dialogs at once, so its tab was closed." in outcome.view.text
    assert outcome.view.url == "about:blank"


def test_leaving_is_not_prevented(pages, visit, on):
    pages.answers["/b"] = "<title>B</title>"
    page = "<button>x</button><a href=/b>Leave</a><script>onbeforeunload = (event) => { event.preventDefault() }</script>"
    _, outcomes = visit(page, on("button", "x"), on("link", "Leave"))
    assert outcomes[-1].view.title == "B"


@pytest.mark.slow
def test_a_page_that_hangs_is_a_fault_and_its_browser_goes_on(pages, visit, on, monkeypatch):
    monkeypatch.setattr(tab, "_ANSWER_SECONDS", 1.0)
    with pytest.raises(DeadlinePassed, match="did not answer for 1 s"):
        visit(BUTTON.format("for (;;);"), on("button", "Go"), action_seconds=1.0)
    monkeypatch.setattr(tab, "_ANSWER_SECONDS", 30.0)
    pages.answers["/"] = "<title>Fine</title>"
    assert visit("")[0].title == "Fine"


@pytest.mark.slow
def test_a_site_that_never_answers(pages, visit, on, monkeypatch):
    monkeypatch.setattr(tab, "_ANSWER_SECONDS", 5.0)
    over = threading.Event()

    def late(_request):
        over.wait(20)
        return Response("late")

    pages.answers["/late"] = late
    try:
        _, (outcome,) = visit(
            "<title>Here</title><a href=/late>Late</a>", on("link", "Late"), action_seconds=0.5, load_seconds=2.0
        )
        assert outcome.view.title == "Here"
        assert outcome.notes == ("The site did not answer within 2 s.",)
        _, (outcome,) = visit("", f"goto [{pages.url('/late')}]", load_seconds=1.0)
        assert outcome.notes[0].endswith("/late did not load within 1 s.")
    finally:
        over.set()


def test_endless_redirects(pages, visit):
    pages.answers["/round"] = Response("", 302, (("Location", "/round"),))
    _, (outcome,) = visit("<title>Here</title>", f"goto [{pages.url('/round')}]")
    assert outcome.notes[0].endswith("/round could not be loaded: ERR_TOO_MANY_REDIRECTS.")


@pytest.mark.slow
def test_pages_that_go_on_to_themselves_without_end(pages, visit, on):
    pages.answers["/round"] = "<title>Round</title><button>x</button><script>location.reload()</script>"
    _, outcomes = visit("<a href=/round>Go</a>", on("link", "Go"), "go_back", action_seconds=3.0)
    assert "without end; it was stopped, and its scripts with it." in outcomes[0].view.text
    assert outcomes[1].understood


def test_a_page_that_rewrites_itself_while_it_is_read(visit, on):
    page = """<button onclick="said.textContent='clicked'">Go</button><p id=said>not yet</p><ul id=list></ul><script>
    let turn = 0;
    const rewrite = () => {
      list.innerHTML = Array.from({ length: 50 }, (_, place) => `<li><a href="#">row ${place} ${++turn}</a></li>`).join("");
      requestAnimationFrame(rewrite);
    };
    rewrite();
    </script>"""
    _, outcomes = visit(page, on("button", "Go"), lambda view: f"click [{view.elements[20].id}]", scope="page")
    assert any(element.name == "clicked" for element in outcomes[0].view.elements)
    assert sum(element.role == "link" for element in outcomes[1].view.elements) == 50


@pytest.mark.slow
def test_a_page_that_replaces_its_button_at_every_frame(visit, on):
    page = """<p id=said>not yet</p><div id=place></div><script>
    const rewrite = () => {
      place.innerHTML = `<button onclick="said.textContent='clicked'">Go</button>`;
      requestAnimationFrame(rewrite);
    };
    rewrite();
    </script>"""
    _, (outcome,) = visit(page, on("button", "Go"))
    said = [element.name for element in outcome.view.elements]
    assert "clicked" in said or outcome.notes  # the button may be gone between the press and the release of the mouse


@pytest.mark.slow
def test_a_page_of_50_mb(visit):
    row = "<p>" + "a page that is much too long " * 1000 + "</p>\n"
    page = "<title>Long</title><button>top</button>" + row * (50_000_000 // len(row))
    view, _ = visit(page, load_seconds=80.0, tokens=2000, scope="page")
    assert view.title == "Long"
    assert "button 'top'" in view.text
    assert len(view.text) <= 7000


def test_deep_pages(visit):
    page = (
        "<p></p><script>let at = document.body;"
        "for (let k = 0; k < 300; k++) at = at.appendChild(document.createElement('div'))</script>"
    )
    view, _ = visit(f"<body><button>top</button>{page}", scope="page")
    assert any(element.name == "top" for element in view.elements)


@pytest.mark.slow
def test_a_flood_of_pop_ups(pages, visit, on):
    pages.answers["/b"] = "<title>B</title>"
    _, (outcome,) = visit(BUTTON.format("for (let k = 0; k < 15; k++) open('/b')"), on("button", "Go"))
    assert outcome.view.text.count("Tab ") <= 11


def test_downloads_are_refused(pages, visit, on):
    pages.answers["/file"] = Response("x" * 1000, headers=(("Content-Disposition", "attachment; filename=money.exe"),))
    _, (outcome,) = visit("<a href=/file>Get</a>", on("link", "Get"))
    assert "A download was refused: 'money.exe'." in outcome.view.text


def test_file_choosers_are_not_opened(visit, on):
    _, (outcome,) = visit("<input type=file aria-label=File>", on("button", "File: No file chosen"))
    assert outcome.notes == ("No file chooser was opened: files can't be uploaded.",)


def test_names_of_a_page_are_not_ours(visit, on):
    page = """<script>
    window.agent = { observe: () => { throw Error('ours') }, locate: () => ({ x: 0, y: 0 }) };
    Array.prototype.push = () => { throw Error('theirs') };
    JSON.stringify = () => 'null';
    Object.defineProperty(Element.prototype, 'getBoundingClientRect', { value: () => { throw Error('theirs') } });
    </script><p id=said>nothing</p>""" + BUTTON.format("said.textContent = 'clicked'")
    _, (outcome,) = visit(page, on("button", "Go"))
    assert any(element.name == "clicked" for element in outcome.view.elements)


@pytest.mark.slow
def test_sessions_do_not_wait_for_each_other(pages, monkeypatch):
    pages.answers["/"] = BUTTON.format("for (;;);")
    pages.answers["/fine"] = "<title>Fine</title>"
    settings = BrowserSettings(hosts=(pages.host,), action_seconds=1.0)

    async def play():
        async with session(settings) as hangs, session(settings) as fine:
            await hangs.goto(pages.url())
            view = await hangs.observe()
            await fine.goto(pages.url("/fine"))
            monkeypatch.setattr(tab, "_ANSWER_SECONDS", 1.0)
            with pytest.raises(DeadlinePassed):
                await hangs.act(f"click [{view.elements[1].id}]")
            monkeypatch.setattr(tab, "_ANSWER_SECONDS", 30.0)
            return await fine.observe()

    assert run(on_browser_loop(play())).title == "Fine"
