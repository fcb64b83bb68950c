"""A chat template cut into the pieces of text it puts around contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from jinja2 import TemplateError

from agentgym_rl.agents.engines.protocol import Message

Render = Callable[[list[Message], bool], str]
"""Messages, whether to end where the model writes → the template's text."""

END_OF_THOUGHT = "</think>"
MARKS = ("Quartz1", "Quartz2", "Quartz3", "Quartz4")
"""Contents to be found again in what the template renders: plain words that no template has of itself."""


class UncuttableTemplate(ValueError):
    """The chat template does not put the same text around the same kind of message each time."""


class Content(NamedTuple):
    """A text put in by the conversation: never special tokens."""

    text: str


Piece = str | Content
"""The template's own text, or a content."""


@dataclass(frozen=True, slots=True)
class TemplatePieces:
    """What a chat template writes around the contents of a conversation."""

    system: bool
    """There is a system role; without one the instructions begin the first user turn."""
    before_instructions: str
    after_instructions: str
    """Up to the first user text."""
    begin: str
    """Before the first user text of a conversation without instructions."""
    ask: str
    """From the end of a user text up to where the model writes."""
    answered: str
    """The same as the template writes it before an earlier message."""
    close: str
    """What closes a message."""
    next: str
    """From there up to the next user text."""
    strips: bool
    """The template strips the space around system and user texts."""
    strips_thought: bool
    """Of an earlier message it keeps what stands behind ``</think>``."""
    strips_newlines: bool
    """It also removes the newlines behind ``</think>``."""

    def start(self, instructions: str, observation: str, *, answered: bool = False) -> list[Piece]:
        ask = self.answered if answered else self.ask
        if not instructions:
            return [self.begin, self.content(observation), ask]
        if not self.system:
            return [self.begin, self.content(f"{instructions}\n\n{observation}"), ask]
        head: list[Piece] = [self.before_instructions, self.content(instructions), self.after_instructions]
        return [*head, self.content(observation), ask]

    def observe(self, observation: str, *, answered: bool = False) -> list[Piece]:
        return [self.next, self.content(observation), self.answered if answered else self.ask]

    def content(self, text: str) -> Content:
        return Content(text.strip() if self.strips else text)


def cut_template(render: Render) -> TemplatePieces:
    """Find the pieces by rendering marked contents, and check that they make up what the template renders.

    Raises :class:`UncuttableTemplate`.
    """
    try:
        return _checked(render, _cut(render, system=True))
    except (UncuttableTemplate, TemplateError):
        pass
    try:
        return _checked(render, _cut(render, system=False))
    except TemplateError as error:
        raise UncuttableTemplate(f"the chat template cannot render a dialogue: {error}") from error


def dialogue(*contents: str, system: bool) -> list[Message]:
    """Messages of alternating roles; with ``system``, the first content is the system message."""
    roles: list[Literal["system", "user", "assistant"]] = ["user", "assistant"] * len(contents)
    if system:
        roles.insert(0, "system")
    return [{"role": role, "content": content} for role, content in zip(roles, contents, strict=False)]


def _cut(render: Render, *, system: bool) -> TemplatePieces:
    instructions, first, answer, second = MARKS
    head = [instructions] if system else []
    asked = _between(render(dialogue(*head, first, system=system), True), *head, first)
    going_on = _between(render(dialogue(*head, first, answer, second, system=system), True), *head, first, answer, second)
    closed = _between(render(dialogue(*head, first, answer, system=system), False), *head, first, answer)
    begin, ask = _between(render(dialogue(first, system=False), True), first)
    answered, after, ask_again = going_on[-3:]
    close = closed[-1]
    if going_on[: len(head) + 1] != asked[:-1] or ask_again != ask or asked[-1] != ask or not after.startswith(close):
        raise UncuttableTemplate("the chat template changes what it wrote once the dialogue goes on")
    if not close:
        raise UncuttableTemplate("the chat template does not close the model's messages")
    padded = render(dialogue(*(f" {mark} " for mark in [*head, first]), system=system), True)
    thought = f"<think>\n{instructions}\n{END_OF_THOUGHT}\n\n{answer}"
    thoughtful = render(dialogue("", first, thought, second, system=True)[0 if system else 1 :], True)
    strips_thought = instructions not in thoughtful
    return TemplatePieces(
        system=system,
        before_instructions=asked[0] if system else "",
        after_instructions=asked[1] if system else "",
        begin=begin,
        ask=ask,
        answered=answered,
        close=close,
        next=after[len(close) :],
        strips=f" {first} " not in padded,
        strips_thought=strips_thought,
        strips_newlines=strips_thought and _between(thoughtful, first, answer, second)[1] == answered,
    )


def _between(text: str, *contents: str) -> list[str]:
    """The text before, between and after ``contents``, which must occur once each and in this order."""
    pieces = []
    for content in contents:
        before, found, text = text.partition(content)
        if not found or content in text:
            raise UncuttableTemplate("the chat template leaves out, repeats or reorders messages")
        pieces.append(before)
    return [*pieces, text]


def _checked(render: Render, pieces: TemplatePieces) -> TemplatePieces:
    """``pieces``, once they reassemble what the template renders of other dialogues."""
    texts = ("Be brief.", " What is it?\n", "A box.", "Open it. ", "Done.", "Go on.")
    for instructions in ("", texts[0]):
        contents = [instructions, *texts[1:]] if instructions and pieces.system else list(texts[1:])
        if instructions and not pieces.system:
            contents[0] = f"{instructions}\n\n{contents[0]}"
        rendered = render(dialogue(*contents, system=bool(instructions) and pieces.system), True)
        made = pieces.start(instructions, texts[1], answered=True)
        for answer, observation, last in ((texts[2], texts[3], False), (texts[4], texts[5], True)):
            made += [answer, pieces.close, *pieces.observe(observation, answered=not last)]
        text = "".join(piece if isinstance(piece, str) else piece.text for piece in made)
        if text != rendered:
            raise UncuttableTemplate(f"the chat template's pieces make\n{text!r}\nwhere the template renders\n{rendered!r}")
    return pieces
