"""Formats by name."""

from __future__ import annotations

from difflib import get_close_matches

from agentgym_rl.agents.formats.backticks import BackticksFormat
from agentgym_rl.agents.formats.code import CodeFormat
from agentgym_rl.agents.formats.function_calling import FunctionCallingFormat
from agentgym_rl.agents.formats.protocol import ActionFormat
from agentgym_rl.agents.formats.raw import RawFormat
from agentgym_rl.agents.formats.react import ReactFormat
from agentgym_rl.agents.formats.tags import TagsFormat
from agentgym_rl.environments.protocol import ActionSchema

FORMATS: dict[str, type[ActionFormat]] = {
    format_class.name: format_class
    for format_class in (RawFormat, ReactFormat, FunctionCallingFormat, CodeFormat, TagsFormat, BackticksFormat)
}


class UnknownFormat(LookupError):
    """No format of that name; the message names the nearest one, or all."""


def format_named(name: str, schema: ActionSchema) -> ActionFormat:
    """The format of that name for a world's action schema. Raises :class:`UnknownFormat`."""
    if name not in FORMATS:
        near = get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(FORMATS)}"
        raise UnknownFormat(f"there is no action format {name!r}; {hint}")
    return FORMATS[name](schema)
