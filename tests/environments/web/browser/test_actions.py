"""What actions do."""

from __future__ import annotations

import pytest

SAYS = "<p id=said>nothing</p><script>const say = (text) => { said.textContent = text }</script>"


def said(outcome):
    return next(element.name for element in outcome.view.elements if element.role == "StaticText")


def test_click(visit, on):
    _, (outcome,) = visit(SAYS + "<button onclick=\"say('clicked')\">Go</button>", on("button", "Go"))
    assert said(outcome) == "clicked"
    assert outcome.understood
    assert outcome.notes == ()


def test_typing_replaces(visit, on):
    page = (
        "<input aria-label=f value=old><textarea aria-label=t>old</textarea>"
        "<div contenteditable aria-label=c role=textbox>old</div>"
    )
    _, outcomes = visit(page, *(on("textbox", name, "type", "new one", "0") for name in "ftc"))
    assert [outcomes[-1].view.elements[place].properties.get("value") for place in (1, 2)] == ["new one", "new one"]
    assert any(element.name == "new one" for element in outcomes[-1].view.elements)


def test_typing_nothing_empties(visit, on):
    _, (outcome,) = visit("<input aria-label=f value=old>", on("textbox", "f", "type", "", "0"))
    assert "value" not in outcome.view.elements[1].properties


@pytest.mark.parametrize(("last", "sent"), [(("0",), False), (("1",), True), ((), True)])
def test_typing_presses_enter_unless_told_not_to(pages, visit, on, last, sent):
    pages.answers["/found"] = "<title>Found</title>"
    _, (outcome,) = visit(
        "<form action=/found><input name=q aria-label=f></form>", on("textbox", "f", "type", "shoes", *last)
    )
    assert (outcome.view.title == "Found") == sent
    assert (("q", "shoes") in [(k, v) for request in pages.asked for k, v in request.query.items()]) == sent


@pytest.mark.parametrize(
    ("kind", "value"), [("date", "2024-02-29"), ("time", "21:37"), ("color", "#ff0000"), ("range", "70")]
)
def test_fields_that_have_pickers(visit, kind, value):
    page = SAYS + f"<input type={kind} aria-label=f oninput='say(this.value)'>"
    _, (outcome,) = visit(page, lambda seen: f"type [{seen.elements[-1].id}] [{value}] [0]")
    assert said(outcome) == value


def test_choosing_an_option(visit, on):
    page = SAYS + "<select aria-label=c onchange='say(this.value)'><option>red<option>blue</select>"
    _, (outcome,) = visit(page, on("option", "blue"))
    assert said(outcome) == "blue"


def test_several_options(visit, on):
    page = "<select multiple aria-label=c><option>red<option>blue<option>green</select>"
    _, outcomes = visit(page, on("option", "red"), on("option", "green"), on("option", "red"))
    chosen = [element.name for element in outcomes[-1].view.elements if element.properties.get("selected")]
    assert chosen == ["green"]


def test_hover(visit, on):
    _, (outcome,) = visit(SAYS + "<button onmouseenter=\"say('over')\">Go</button>", on("button", "Go", "hover"))
    assert said(outcome) == "over"


def test_press(visit, on):
    page = (
        SAYS
        + "<input aria-label=f oninput='say(this.value)' onkeydown=\"if (event.key == 'a' && event.ctrlKey) say('all')\">"
    )
    _, outcomes = visit(page, on("textbox", "f"), "press [x]", "press [ctrl+A]")
    assert said(outcomes[1]) == "x"
    assert said(outcomes[2]) == "all"


def test_scroll(visit, lines):
    page = "".join(f"<div style='height:600px;margin:0'>part {place}</div>" for place in range(6))
    _, outcomes = visit(f"<body style='margin:0'>{page}", "scroll [down]", "scroll [up]", width=800, height=600)
    assert lines(outcomes[0].view) == ["StaticText 'part 1'"]
    assert lines(outcomes[1].view) == ["StaticText 'part 0'"]


def test_addresses_and_history(pages, visit):
    pages.answers["/b"] = "<title>B</title>"
    _, outcomes = visit("<title>A</title>", f"goto [{pages.url('/b')}]", "go_back", "go_forward", "go_forward")
    assert [outcome.view.title for outcome in outcomes] == ["B", "A", "B", "B"]
    assert outcomes[3].notes == ("There is no page to go forward to.",)


def test_tabs(pages, visit):
    pages.answers["/b"] = "<title>B</title>"
    _, outcomes = visit(
        "<title>A</title>", "new_tab", f"goto [{pages.host}/b]", "tab_focus [0]", "tab_focus [7]", "close_tab", "close_tab"
    )
    heads = [outcome.view.text.split("\n")[0] for outcome in outcomes]
    assert heads[1:3] == ["Tab 0: A | Tab 1 (current): B", "Tab 0 (current): A | Tab 1: B"]
    assert outcomes[3].notes == ("There is no tab 7; there are tabs 0 to 1.",)
    assert heads[4] == "Tab 0 (current): B"
    assert outcomes[5].view.url == "about:blank"


def test_a_link_that_opens_a_tab(pages, visit, on):
    pages.answers["/b"] = "<title>B</title>"
    _, (outcome,) = visit("<title>A</title><a href=/b target=_blank>B</a>", on("link", "B"))
    assert outcome.view.text.startswith("Tab 0: A | Tab 1 (current): B\nNote: A new tab 1 was opened and has the focus.")


@pytest.mark.parametrize(("action", "answer"), [("stop [42 items]", "42 items"), ("stop []", ""), ("stop", "")])
def test_stop(visit, action, answer):
    _, (outcome,) = visit("<p>page</p>", action)
    assert outcome.answer == answer


@pytest.mark.parametrize(
    "action", ["", "dance", "click 3", "click [three]", "scroll [left]", "goto []", "press []", "x" * 30_000]
)
def test_what_is_no_action_is_told_the_grammar(visit, action):
    _, (outcome,) = visit("<p>page</p>", action)
    assert not outcome.understood
    assert "This is no action. Actions: click [id]; type [id] [content]" in outcome.view.text


def test_unknown_keys(visit):
    _, (outcome,) = visit("<p>page</p>", "press [Hyper+q]")
    assert outcome.notes[0].startswith("There is no key 'Hyper'. Keys: ")


def test_a_world_that_owns_the_clock(visit, on):
    page = "<button onclick='window.clicked = true'>Go</button><script>window.clicked = false</script>"
    _, outcomes = visit(page, "press [x]", on("button", "Go"), settle="({ clicked })")
    assert [outcome.settled for outcome in outcomes] == [{"clicked": False}, {"clicked": True}]
