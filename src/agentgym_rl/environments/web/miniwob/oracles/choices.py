"""Pages on which boxes, options or items of lists are chosen, then submitted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


def choose(now: Situation, role: str, names: Collection[str], state: str = "checked") -> str | None:
    """Clicks what is of these names and is not chosen, then what is chosen and is not of them; then submits."""
    for element in now.all(role):
        if bool(element.properties.get(state)) != (element.name in names):
            return now.click(element)
    return now.button("Submit")


def named(now: Situation) -> list[str]:
    """The items that the goal lists: ``Select a, b and click Submit.``"""
    return now.part(r"Select (?:words similar to )?(.*?)(?: from the scroll list)? and click Submit").split(", ")


@oracle("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def click_checkboxes(now: Situation) -> str | None:
    return choose(now, "checkbox", named(now))


@oracle("click-option")
def click_option(now: Situation) -> str | None:
    return choose(now, "radio", named(now))


@oracle("click-scroll-list")
def click_scroll_list(now: Situation) -> str | None:
    return choose(now, "option", named(now), "selected")


@oracle("choose-list")
def choose_list(now: Situation) -> str | None:
    wanted = now.find("option", now.part(r"Select (.*) from the list"))
    if wanted is not None and not wanted.properties.get("selected"):
        return now.click(wanted)
    return now.button("Submit")


_SYNONYMS = tuple(
    frozenset(line.split())
    for line in (
        "big large huge enormous gigantic",
        "small tiny little mini petite",
        "red scarlet crimson vermillion",
        "happy cheerful joyful gleeful delighted",
        "sad unhappy sorrowful miserable tragic",
        "angry mad furious irritated",
        "evil wicked immoral sinful corrupt depraved",
        "wrong incorrect mistaken erroneous",
        "real genuine actual",
        "strange odd peculiar unusual weird",
        "stop cease halt end finish",
        "scared terrified panicked fearful frightened afraid",
        "quiet calm peaceful serene mild",
        "old aged archaic",
        "love like adore favor",
        "kill murder assassinate",
        "keep retain preserve sustain maintain",
        "hide conceal camouflage",
        "hate despise loathe detest dislike",
        "funny humorous amusing comical laughable",
        "fat fleshy plump chubby",
        "stupid dumb dull unwise",
        "delicious savory delectable appetizing",
        "cut slice carve chop",
        "brave courageous fearless",
        "begin start initiate launch",
        "answer reply response",
        "television televisions TV TVs",
        "house home houses homes",
        "fire flame fires flames",
        "pig pork swine",
        "rabbit rabbits bunny bunnies",
        "car cars automobile automobiles vehicle vehicles",
        "water",
    )
)


@oracle("click-checkboxes-soft")
def click_checkboxes_soft(now: Situation) -> str | None:
    return choose(now, "checkbox", {word for words in _SYNONYMS for word in words if words.intersection(named(now))})


_DIGITS = (
    "0110 1001 1001 1001 1001 1001 0110",
    "0010 0110 0010 0010 0010 0010 0010",
    "0110 1001 1001 0010 0100 1000 1111",
    "0110 1001 0001 0110 0001 1001 0110",
    "1000 1010 1010 1111 0010 0010 0010",
    "1111 1000 1000 1110 0001 1001 0110",
    "0110 1001 1000 1110 1001 1001 0110",
    "1111 1001 0001 0010 0010 0100 0100",
    "0110 1001 1001 0110 1001 1001 0110",
    "0110 1001 1001 0111 0001 1001 0110",
)
"""How the page draws the digits, 4 boxes wide."""


@oracle("number-checkboxes")
def number_checkboxes(now: Situation) -> str | None:
    bits = _DIGITS[int(now.quoted[0])].replace(" ", "")
    boxes = [one for one in now.all("checkbox") if not one.properties.get("disabled")]
    for box, bit in zip(boxes, bits, strict=True):
        if box.properties["checked"] != (bit == "1"):
            return now.click(box)
    return now.button("Submit")


@oracle("form-sequence-3")
def form_sequence_3(now: Situation) -> str | None:
    wanted = now.find("option", now.part(r"Choose (.*) from the dropdown"))
    if wanted is not None and not wanted.properties.get("selected"):
        return now.click(wanted)
    return now.button(now.quoted[0])


@dataclass(slots=True)
class Dish:
    """A line of a menu."""

    name: str
    pictures: set[str] = field(default_factory=set)
    ordered: int = 0
    more: Element | None = None


def menu(now: Situation) -> list[Dish]:
    """A dish is its name, its pictures, ``-``, how many are ordered if any, and ``+``."""
    dishes: list[Dish] = []
    for one in now.elements:
        if one.role == "StaticText" and not one.name.isdigit():
            dishes.append(Dish(one.name))
        elif one.role == "StaticText":
            dishes[-1].ordered = int(one.name)
        elif one.role == "img":
            dishes[-1].pictures.add(one.name)
        elif one.name == "+":
            dishes[-1].more = one
    return dishes


@oracle("order-food")
def order_food(now: Situation) -> str | None:
    """One of each that is named; or as many as asked for of the first dish of a kind."""
    dishes, kind = menu(now), now.part(r"items that are (.*)")
    wanted = {name.strip(): 1 for name in now.part(r"each item: (.*)").split(",")}
    if kind:
        wanted = {next(dish.name for dish in dishes if kind in dish.pictures): int(now.part(r"Order (\d+)"))}
    left = (dish.more for dish in dishes if dish.ordered < wanted.get(dish.name, 0))
    return now.click(next(left, None)) or now.button("Order!")
