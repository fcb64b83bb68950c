"""Pages on which something is typed that the goal says or the page shows, then submitted."""

from __future__ import annotations

import re

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


@oracle("enter-text", "enter-text-dynamic")
def enter_text(now: Situation) -> str | None:
    return now.fill_all(now.quoted[0]) or now.button("Submit")


@oracle("enter-text-2")
def enter_text_2(now: Situation) -> str | None:
    text = now.quoted[0]
    return now.fill_all(text.upper() if "upper case" in now.goal else text.lower()) or now.button("Submit")


@oracle("enter-password")
def enter_password(now: Situation) -> str | None:
    return now.fill_all(now.quoted[0], now.quoted[0]) or now.button("Submit")


@oracle("login-user")
def login_user(now: Situation) -> str | None:
    return now.fill_all(*now.quoted) or now.button("Login")


@oracle("enter-date")
def enter_date(now: Situation) -> str | None:
    month, day, year = now.part(r"(\d+/\d+/\d+)").split("/")
    return now.fill_all(f"{year}-{month}-{day}") or now.button("Submit")


@oracle("enter-time")
def enter_time(now: Situation) -> str | None:
    hour, minute = now.part(r"(\d+:\d+)").split(":")
    return now.fill_all(f"{int(hour) % 12 + 12 * (' PM' in now.goal):02}:{minute}") or now.button("Submit")


@oracle("form-sequence-2")
def form_sequence_2(now: Situation) -> str | None:
    radio = now.all("radio")[int(now.part(r"Check the (\d)")) - 1]
    if not radio.properties["checked"]:
        return now.click(radio)
    return now.fill(now.fields[int(now.part(r"into the (\d)")) - 1], now.quoted[0]) or now.button("Submit")


@oracle("multi-layouts", "multi-orderings")
def movie_search(now: Situation) -> str | None:
    """Each field takes what its label asks for: the label is on its left, or before it, or after all fields on its right."""
    answers = {
        "genre": now.part(r"for (.*) movies"),
        "director": now.part(r"by (.*) from"),
        "year": now.part(r"(\d+)\."),
    }
    labels = [one for one in now.elements if any(word in one.name.lower() for word in answers) and one.tag != "table"]
    for field in now.fields:
        label = min(labels, key=lambda one: distance(field, one))
        word = next(word for word in answers if word in label.name.lower())
        if act := now.fill(field, answers[word]):
            return act
    return now.click(next((one for one in now.elements if one.name in ("Submit", "Search", "Go", "Find")), None))


def distance(field: Element, label: Element) -> float:
    """Between the middles, lines being far from each other."""
    (left, top, width, height), (x, y, w, h) = field.box, label.box
    return abs(left + width / 2 - x - w / 2) + 3 * abs(top + height / 2 - y - h / 2)


@oracle("copy-paste", "copy-paste-2")
def copy_paste(now: Situation) -> str | None:
    areas = [field for field in now.fields if field.tag == "textarea"]
    area = areas[int(now.part(r"(\d)(?:st|nd|rd)") or 1) - 1]
    field = next(field for field in now.fields if field.tag == "input")
    return now.fill(field, str(area.properties["value"])) or now.button("Submit")


@oracle("find-word")
def find_word(now: Situation) -> str | None:
    words = " ".join(one.name for one in now.all("StaticText")).split()
    return now.fill_all(letters(words[int(now.part(r"(\d+)(?:st|nd|rd|th)")) - 1])) or now.button("Submit")


@oracle("scroll-text")
def scroll_text(now: Situation) -> str | None:
    text, field = now.fields
    return now.fill(field, letters(str(text.properties["value"]).split()[-1])) or now.button("Submit")


def letters(word: str) -> str:
    """A word without the punctuation around it."""
    return re.sub(r"^\W+|\W+$", "", word)


@oracle("text-transform")
def text_transform(now: Situation) -> str | None:
    return now.fill_all("".join(one.name for one in now.all("StaticText"))) or now.button("Submit")


@oracle("read-table", "read-table-2")
def read_table(now: Situation) -> str | None:
    cells = [one.name for one in now.all("cell")]
    table = dict(zip(cells[::2], cells[1::2], strict=True))
    asked = now.part(r"value of (.*) into")
    labels = [asked] if asked else [one.name.rstrip(":") for one in now.all("StaticText") if one.name.endswith(":")]
    return now.fill_all(*(table[label] for label in labels)) or now.button("Submit")


@oracle("use-autocomplete", "use-autocomplete-nodelay")
def use_autocomplete(now: Situation) -> str | None:
    start, *end = now.quoted
    field = now.fields[0]
    value = str(field.properties.get("value", ""))
    if value.startswith(start) and value.endswith(end[0] if end else "") and len(value) > len(start):
        return now.button("Submit")
    fitting = [one for one in now.all("menuitem") if one.name.startswith(start) and one.name.endswith(end[0] if end else "")]
    return now.click(fitting[0]) if fitting else now.fill(field, start)
