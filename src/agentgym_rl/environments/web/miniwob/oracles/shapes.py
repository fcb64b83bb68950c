"""Pages with colours and shapes, which the view names: ``circle 'yellow 10x10 at 112,182'``."""

from __future__ import annotations

import re

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


def middle(element: Element) -> tuple[float, float]:
    left, top, width, height = element.box
    return left + width / 2, top + height / 2


@oracle("click-color")
def click_color(now: Situation) -> str | None:
    """The goal names a colour, or shows one, which is then written as a number at its end."""
    shown = now.part(r"(#[0-9a-f]{6})$")
    colour = HEX[shown] if shown else now.part(r"on the (\w+) colored")
    return now.click(next((one for one in now.elements if SAME.get(colour, colour) in re.split(r"[ /]", one.name)), None))


HEX = {
    "#ff0000": "red",
    "#0000ff": "blue",
    "#808000": "olive",
    "#00ff00": "lime",
    "#000000": "black",
    "#ffffff": "white",
    "#808080": "grey",
    "#800080": "purple",
    "#ffa500": "orange",
    "#ffff00": "yellow",
    "#00ffff": "cyan",
    "#ffc0cb": "pink",
    "#ff00ff": "magenta",
}
SAME = {"grey": "gray"}
"""As the view calls it."""


@oracle("grid-coordinate")
def grid_coordinate(now: Situation) -> str | None:
    """The circles stand in a square of 5 x 5, from -2 to 2."""
    x, y = (int(number) for number in now.part(r"\((.*)\)").split(","))
    circles = now.all("circle")
    across, down = (sorted({round(middle(one)[axis]) for one in circles}) for axis in (0, 1))
    wanted = across[x + 2], down[2 - y]
    return now.click(next(one for one in circles if tuple(round(part) for part in middle(one)) == wanted))


@oracle("click-shape")
def click_shape(now: Situation) -> str | None:
    return now.click(next(iter(described(now, now.part(r"Click on a (.*)"))), None))


@oracle("count-shape")
def count_shape(now: Situation) -> str | None:
    words = now.part(r"How many (.*) are there")
    return now.button(str(len(described(now, re.sub(r"s$", "", words)))))


KINDS = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}
LARGE = 15
"""Pixels: the small ones have 10, the large ones 20; letters a few more."""


def described(now: Situation, words: str) -> list[Element]:
    """The shapes that ``large red circle``, ``small item``, ``7`` … fit."""
    *traits, kind = words.split()
    return [one for one in now.elements if one.role in (*KINDS, "text") and _fits(one, traits, kind)]


def _fits(shape: Element, traits: list[str], kind: str) -> bool:
    said = shape.name.split()[0]
    is_text = shape.role == "text"
    own = {"item", said, "digit" if said.isdigit() else "letter"} if is_text else {"item", "shape", KINDS[shape.role]}
    size = "large" if shape.box[3] > LARGE else "small"
    colours = re.split(r"[ /]", shape.name)
    return kind in own and all(trait == size or trait in colours for trait in traits)


@oracle("click-shades")
def click_shades(now: Situation) -> str | None:
    """The ones that are chosen already say so."""
    colour = now.part(r"shades of (\w+)")
    left = [one for one in now.elements if one.name.startswith(f"{colour} ")]
    return now.click(left[0]) if left else now.button("Submit")


@oracle("ascending-numbers")
def ascending_numbers(now: Situation) -> str | None:
    """Once the numbers are hidden, what covers them is still in their order."""
    return now.click(next(one for one in now.elements if one.role in ("text", "rect")))


@oracle("identify-shape")
def identify_shape(now: Situation) -> str | None:
    shape = now.elements[0]
    said = shape.name.split()[0]
    kinds = {"rect": "Rectangle", "circle": "Circle", "polygon": "Triangle"}
    return now.button(kinds.get(shape.role) or ("Number" if said.isdigit() else "Letter"))
