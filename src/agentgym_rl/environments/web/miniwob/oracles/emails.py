"""The inbox: emails to delete, mark, answer or hand on."""

from __future__ import annotations

from agentgym_rl.environments.web.browser import Element
from agentgym_rl.environments.web.miniwob.oracles.registry import Situation, oracle


@oracle(
    "email-inbox", "email-inbox-delete", "email-inbox-important", "email-inbox-reply", "email-inbox-star-reply",
    "email-inbox-forward", "email-inbox-noscroll",
)  # fmt: skip
def email_inbox(now: Situation) -> str | None:
    sender = now.part(r"email by (\S+) and")
    if "trash icon" in now.goal:
        return now.click(icon(now, sender, "trash"))
    if "star icon" in now.goal:
        return now.click(icon(now, sender, "star"))
    if now.quoted:
        return reply(now, sender, now.quoted[0])
    return forward(now, sender, now.part(r"forward that email to ([\w-]+)"))


def row(now: Situation, sender: str) -> Element | None:
    """The line of the inbox with that sender's email."""
    return next((one for one in now.elements if one.name.split()[:1] == [sender] and one.clickable), None)


def icon(now: Situation, sender: str, kind: str) -> Element | None:
    line = row(now, sender)
    return None if line is None else next((one for one in now.elements if one.id > line.id and one.name == kind), None)


def reply(now: Situation, sender: str, text: str) -> str | None:
    return _write(now, sender, "Reply", text)


def forward(now: Situation, sender: str, to: str) -> str | None:
    return _write(now, sender, "Forward", to)


def _write(now: Situation, sender: str, kind: str, text: str) -> str | None:
    """Opens the email, then its form, fills the first field and sends: the second of the two icons above."""
    if now.fields:
        return now.fill_all(text) or now.click(now.all("img")[1])
    opened = next((one for one in now.elements if one.name == kind), None)
    return now.click(opened or row(now, sender))
