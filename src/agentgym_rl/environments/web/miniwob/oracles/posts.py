"""Pages with posts, contacts and results to find one in."""

from __future__ import annotations

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


def posts(now: Situation) -> dict[int, list[Element]]:
    """The elements after each user's name, by the number of the name's element."""
    starts = [one for one in now.elements if one.name.startswith("@")]
    ends = [*(one.id for one in starts[1:]), len(now.view.elements) + 1]
    return {
        start.id: [one for one in now.elements if start.id < one.id < end] for start, end in zip(starts, ends, strict=True)
    }


MENU = ("Share via DM", "Copy link to Tweet", "Embed Tweet", "Mute", "Block", "Report")
"""What a post's ``more`` opens."""


@oracle("social-media")
def social_media(now: Situation) -> str | None:
    """The button of the user's post, or the item of the menu behind its ``more``."""
    user, button = now.part(r"user (@\S+),"), now.quoted[0]
    post = next(post for start, post in posts(now).items() if now.view[start].name == user)
    if button not in MENU:
        return now.click(next(one for one in post if one.name == button.lower()))
    items = [one for one in post if one.role == "listitem"]
    return now.click(items[MENU.index(button)] if items else next(one for one in post if one.name == "more"))


@oracle("social-media-all", "social-media-some")
def social_media_all(now: Situation) -> str | None:
    """Presses the button of as many posts of the user as are asked for; those that are pressed say so."""
    user, button = now.part(r"by (@\S+)"), now.quoted[0].lower()
    buttons = [
        one
        for start, post in posts(now).items()
        if now.view[start].name == user
        for one in post
        if button in one.name.split()
    ]
    left = [one for one in buttons if "active" not in one.name.split()]
    most = int(now.part(r"on (\d+) post") or len(buttons))
    return now.click(left[0]) if left and len(buttons) - len(left) < most else now.button("Submit")


@oracle("phone-book")
def phone_book(now: Situation) -> str | None:
    """Turns the pages to the name, then clicks what follows the label."""
    name, asked = now.part(r"Find (.*) in the contact"), now.part(r"their (\w+)")
    if now.find("heading", name) is None:
        return now.click(now.find("link", ">"))
    elements = now.elements
    label = next(number for number, one in enumerate(elements) if one.name == f"{asked.capitalize()}:")
    return now.click(elements[label + 1])


@oracle("search-engine")
def search_engine(now: Situation) -> str | None:
    """Three results a page. The first page has no link back, the last none on."""
    if act := now.fill_all(now.quoted[0]):
        return act
    pages = [one for one in now.all("link") if one.name in ("<", "1", "2", "3", ">")]
    if not pages:
        return now.button("Search")
    names = [one.name for one in pages]
    shown = 1 if "<" not in names else 3 if ">" not in names else 2
    page, place = divmod(int(now.part(r"click the (\d+)")) - 1, 3)
    if page + 1 != shown:
        return now.click(next(one for one in pages if one.name == str(page + 1)))
    return now.click([one for one in now.all("link") if one not in pages][place])
