"""Pages on which something is typed that the goal says or the page shows, then submitted."""

from __future__ import annotations

import re

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


@oracle("login-user-popup")
def login_user_popup(now: Situation) -> str | None:
    """The dialog that may come up is told no: its other button leaves the page."""
    return now.button("Cancel") or now.fill_all(*now.quoted) or now.button("OK")


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
    """The labels come in the order of their fields, be it before or after them."""
    answers = {
        "genre": now.part(r"for (.*) movies"),
        "director": now.part(r"by (.*) from"),
        "year": now.part(r"(\d+)\."),
        "date": now.part(r"(\d+)\."),
    }
    labels = [word for one in now.elements for word in answers if word in one.name.lower()]
    submit = next((one for one in now.elements if one.name in ("Submit", "Search", "Go!")), None)
    return now.fill_all(*(answers[label] for label in labels)) or now.click(submit)


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
    fitting = [
        one for one in now.all("StaticText") if one.name.startswith(start) and one.name.endswith(end[0] if end else "")
    ]
    return now.click(fitting[0]) if fitting else now.fill(field, start)
