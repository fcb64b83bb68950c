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
    colour = now.part(r"on the (\w+) colored")
    return now.click(next((one for one in now.elements if colour in re.split(r"[ /]", one.name)), None))


@oracle("grid-coordinate")
def grid_coordinate(now: Situation) -> str | None:
    """The circles stand in a square of 5 x 5, from -2 to 2."""
    x, y = (int(number) for number in now.part(r"\((.*)\)").split(","))
    circles = now.all("circle")
    across, down = (sorted({round(middle(one)[axis]) for one in circles}) for axis in (0, 1))
    wanted = across[x + 2], down[2 - y]
    return now.click(next(one for one in circles if tuple(round(part) for part in middle(one)) == wanted))


@oracle("circle-center")
def circle_center(now: Situation) -> str | None:
    """A click goes to the middle of what is clicked; a mark shows that it was."""
    circles = now.all("circle")
    return now.click(circles[0]) if len(circles) == 1 else now.button("Submit")


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
