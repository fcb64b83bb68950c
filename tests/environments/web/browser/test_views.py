"""What is seen of a page."""

from __future__ import annotations

import numpy as np

from agentgym_rl.environments.web.browser import BrowserSettings, run, session

SHOP = """<title>Shop</title><h1>Shoes</h1>
<p>Good ones</p><a href="/cart">Cart</a><button>Add to Cart</button>
<label>Size <input value="42"></label><input type="checkbox" aria-label="Gift" checked>
<input type="password" aria-label="Pin" value="1234">
<select aria-label="Colour"><option>red<option selected>blue</select><button disabled>Pay</button>"""


def test_webarenas_text(visit):
    view, _ = visit(SHOP)
    assert view.text == "\n".join(
        [
            "Tab 0 (current): Shop",
            "",
            "[1] RootWebArea 'Shop' focused: True",
            "\t[2] heading 'Shoes'",
            "\t[3] StaticText 'Good ones'",
            "\t[4] link 'Cart'",
            "\t[5] button 'Add to Cart'",
            "\t[6] StaticText 'Size'",
            "\t[7] textbox 'Size' value: '42'",
            "\t[8] checkbox 'Gift' checked: True",
            "\t[9] textbox 'Pin' value: '••••'",
            "\t[10] combobox 'Colour'",
            "\t\t[11] option 'red'",
            "\t\t[12] option 'blue' selected: True",
            "\t[13] button 'Pay' disabled: True",
        ]
    )


def test_elements_have_what_oracles_need(visit):
    view, _ = visit("<button id=go style='position:absolute;left:10px;top:20px;width:30px;height:40px'>Go</button><input>")
    button, field = view.elements[1:]
    assert (button.id, button.tag, button.dom_id, button.box) == (2, "button", "go", (10, 20, 30, 40))
    assert (button.editable, button.clickable, field.editable) == (False, True, True)
    assert view[2] is button


def test_names_are_quoted(visit, lines):
    view, _ = visit("<button>It's \\ new</button>")
    assert lines(view) == [r"button 'It\'s \\ new'"]


def test_nothing_unseen(visit, lines):
    view, _ = visit(
        "<p hidden>a</p><p style='display:none'>b</p><p style='visibility:hidden'>c<b style='visibility:visible'>d</b></p>"
        "<p aria-hidden=true>e</p><script>1</script><p style='font-size:0'>f</p><p style='opacity:0'>g</p><template>h</template>",
        scope="page",
    )
    assert lines(view) == ["StaticText 'd'"]


def test_viewport_or_page(visit, lines):
    page = "<button>near</button><div style='height:3000px'></div><button>far</button>"
    near, (scrolled,) = visit(page, "press [End]")
    whole, _ = visit(page, scope="page")
    assert lines(near) == ["button 'near'"]
    assert lines(scrolled.view) == ["button 'far'"]
    assert lines(whole) == ["button 'near'", "button 'far'"]


def test_a_placed_child_of_an_element_out_of_sight_is_seen(visit, lines):
    view, _ = visit("<div style='height:3000px'></div><div><button style='position:fixed;top:0;left:0'>menu</button></div>")
    assert lines(view) == ["button 'menu'"]


def test_the_budget_shows_its_cut(visit):
    view, _ = visit("".join(f"<button>number {place}</button>" for place in range(100)), tokens=300)
    assert view.left_out > 0
    assert len(view.text) <= 300 * 3.5
    assert view.text.endswith(f"… {view.left_out} of 101 elements left out: scroll to see them")
    assert len(view.elements) == 101


def test_frames(pages, visit, lines, on):
    pages.answers["/inner"] = "<button onclick=\"this.textContent='clicked'\">inner</button>"
    page = "<h1>outer</h1><iframe src=/inner title=one style='margin:30px'></iframe><iframe src=/inner></iframe>"
    view, outcomes = visit(
        page,
        on("button", "inner"),
        lambda seen: f"click [{[each.id for each in seen.elements if each.role == 'button'][1]}]",
    )
    expected = ["heading 'outer'", "Iframe 'one'", "button 'inner'", "Iframe ''", "button 'inner'"]
    assert lines(view) == expected
    clicked = [line for line in lines(outcomes[-1].view) if "button" in line]
    assert [line.split(" focused")[0] for line in clicked] == ["button 'clicked'", "button 'clicked'"]


def test_shadow_trees(visit, lines):
    view, _ = visit(
        "<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = '<button>inside</button>'</script>"
    )
    assert lines(view) == ["button 'inside'"]


def test_a_screenshot(visit):
    view, _ = visit("<body style='background: rgb(10, 200, 30)'>", image=True, width=200, height=100)
    assert view.image is not None
    assert view.image.shape == (100, 200, 3)
    assert view.image.dtype == np.uint8
    assert (view.image == [10, 200, 30]).all()


def test_pictures_in_words(visit, lines):
    view, _ = visit(
        "<svg width=100 height=100><circle cx=50 cy=50 r=20 fill=red></circle></svg>"
        "<div style='width:20px;height:20px;background:#a83232'></div><span class='icon star' style='cursor:pointer'>&nbsp;</span>"
        "<div style='position:absolute;left:0;top:0;margin:0'></div>",
        graphics=True,
    )
    found = lines(view)
    assert found[0].startswith("circle 'red 40x40 at ")
    assert found[1:] == ["generic 'red #a83232 20x20'", "generic 'icon star'"]


def test_what_is_hidden_for_a_world_is_not_shown(visit, lines):
    view, _ = visit("<div id=goal>secret <button>b</button></div><button>a</button>", hide="#goal")
    assert lines(view) == ["button 'a'"]


def test_late_content_is_waited_for(pages, visit, lines):
    pages.answers["/more"] = "from the site"
    view, _ = visit(
        "<p id=it>nothing</p><script>fetch('/more').then(r => r.text()).then(t => { it.textContent = t })</script>"
    )
    assert lines(view) == ["StaticText 'from the site'"]


def test_peek_sees_the_page_as_it_is(pages):
    pages.answers["/"] = "<button>now</button>"

    async def look():
        async with session(BrowserSettings(hosts=(pages.host,))) as opened:
            await opened.goto(pages.url())
            return await opened.peek()

    assert [(element.role, element.name) for element in run(look())[1:]] == [("button", "now")]
