"""Pages about numbers: computed, guessed, counted, or set with arrows."""

from __future__ import annotations

import re

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


@oracle("simple-arithmetic")
def simple_arithmetic(now: Situation) -> str | None:
    first, sign, second = re.findall(r"-?\d+|[+x*-](?= )", now.all("StaticText")[0].name)[:3]
    return now.fill_all(str(_apply(int(first), sign, int(second)))) or now.button("Submit")


def _apply(first: int, sign: str, second: int) -> int:
    return {"+": first + second, "-": first - second}.get(sign, first * second)


@oracle("simple-algebra")
def simple_algebra(now: Situation) -> str | None:
    """``a ± x = b`` or ``x ± a = b``: tried out."""
    left, sign, right, result = re.findall(r"-?\d+|x|[+-](?= )", now.all("StaticText")[0].name)
    for x in range(-200, 201):
        values = [x if part == "x" else int(part) for part in (left, right)]
        if _apply(values[0], sign, values[1]) == int(result):
            return now.fill_all(str(x)) or now.button("Submit")
    return None


@oracle("visual-addition")
def visual_addition(now: Situation) -> str | None:
    blocks = [one for one in now.elements if one.name.startswith("addition-block")]
    return now.fill_all(str(len(blocks))) or now.button("Submit")


@oracle("guess-number")
def guess_number(now: Situation) -> str | None:
    """From the middle, one up or down: the page tells only about the last guess."""
    said = next((one.name for one in now.all("StaticText") if re.search("higher|lower|Waiting", one.name)), "")
    last = next((int(one.name.strip(".")) for one in now.all("StaticText") if one.name.strip(".").isdigit()), None)
    if last is None:
        last = int(found[0]) if (found := re.findall(r"\d+", said)) else None
    guess = 5 if last is None else last + 1 if "higher" in said else last - 1
    return now.fill_all(str(guess)) or now.button("Submit")


@oracle("generate-number")
def generate_number(now: Situation) -> str | None:
    shown = now.all("StaticText")[0].name
    if not shown.isdigit():
        return now.button("Generate")
    number, bound = int(shown), int(now.part(r"than (\d+)") or 0)
    fits = {"less": number < bound, "greater": number > bound, "odd": number % 2 == 1, "even": number % 2 == 0}
    return now.button("Submit" if fits[now.part(r"(less|greater|odd|even)")] else "Generate")


@oracle("stock-market")
def stock_market(now: Situation) -> str | None:
    """Waits with clicks on a text while the price is too high."""
    price = next(float(one.name[1:]) for one in now.all("StaticText") if one.name.startswith("$"))
    return now.button("Buy") if price < float(now.part(r"\$([\d.]+\d)")) else now.click(now.find("StaticText"))


@oracle("use-slider", "form-sequence")
def use_slider(now: Situation) -> str | None:
    value = next(int(one.name) for one in now.all("StaticText") if re.fullmatch(r"-?\d+", one.name))
    return slide(now, handles(now)[0], value, int(now.part(r"Select (-?\d+)"))) or _then(now)


@oracle("use-slider-2")
def use_slider_2(now: Situation) -> str | None:
    values = [int(one.name) for one in now.all("StaticText") if re.fullmatch(r"-?\d+", one.name)]
    wanted = [int(number) for number in now.part(r"\[(.*)\]").split(",")]
    for handle, value, target in zip(handles(now), values, wanted, strict=True):
        if act := slide(now, handle, value, target):
            return act
    return now.button("Submit")


def handles(now: Situation) -> list[Element]:
    """What sliders are moved by."""
    return [one for one in now.elements if one.name.startswith("slider-handle")]


def slide(now: Situation, handle: Element, value: int, target: int) -> str | None:
    """One step by key; first the handle takes the focus."""
    if value == target:
        return None
    if not handle.properties.get("focused"):
        return now.click(handle)
    return "press [ArrowRight]" if value < target else "press [ArrowLeft]"


def _then(now: Situation) -> str | None:
    boxes = now.all("checkbox")
    if boxes and not (box := boxes[int(now.part(r"the (\d)\w\w checkbox")) - 1]).properties["checked"]:
        return now.click(box)
    return now.button("Submit")


@oracle("use-spinner")
def use_spinner(now: Situation) -> str | None:
    """Steps by key: the page takes no typed number."""
    field = now.fields[0]
    value, target = int(field.properties.get("value", 0)), int(now.part(r"Select (-?\d+)"))
    if value == target:
        return now.button("Submit")
    if not field.properties.get("focused"):
        return now.click(field)
    return "press [ArrowUp]" if value < target else "press [ArrowDown]"
