"""Pages with a calendar to click in."""

from __future__ import annotations

from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@oracle("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_date(now: Situation) -> str | None:
    """Opens the calendar, turns its pages to the month, clicks the day."""
    month, day, year = (int(part) for part in now.part(r"Select (\S+) as").split("/"))
    field = now.find("textbox")
    if field is not None and field.properties.get("value") == f"{month:02}/{day:02}/{year}":
        return now.button("Submit")
    return pick(now, year, month, day) or now.click(field)


def pick(now: Situation, year: int, month: int, day: int) -> str | None:
    """The next click in an open calendar; None where none is open."""
    names = [one.name for one in now.elements]
    shown_month = next((number for number, name in enumerate(MONTHS, 1) if name in names), None)
    shown_year = next((int(name) for name in names if name.isdigit() and len(name) == 4), None)
    if shown_month is None or shown_year is None:
        return None
    if (shown_year, shown_month) != (year, month):
        turn = "Prev" if (shown_year, shown_month) > (year, month) else "Next"
        return now.click(next(one for one in now.elements if one.name == turn))
    return now.click(now.find("link", str(day)))
