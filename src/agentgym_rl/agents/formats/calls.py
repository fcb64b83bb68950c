"""Function calls ↔ action strings, by a world's action schema."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import combinations
from string import Formatter

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

Value = str | int | float | bool
Arguments = dict[str, Value]

ANY_ACTION: ActionSchema = (
    ActionFunction("act", "Take an action.", (Parameter("action", "string", "The action"),), "{action}"),
)
"""The schema of a world that names no functions."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,18}\.[0-9]{1,18}")
_PATTERNS = {
    "integer": r"-?[0-9]{1,18}",
    "number": r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?",
    "boolean": "True|False",
    "string": ".*?",
}


class BadCall(ValueError):
    """The call does not fit the schema; the message tells the model what was wrong."""


def call_action(schema: ActionSchema, name: str, arguments: Mapping[str, object]) -> str:
    """The action string of a call. Raises :class:`BadCall`."""
    function = next((function for function in schema if function.name == name), None)
    if function is None:
        known = [function.name for function in schema]
        near = get_close_matches(name[:100], known, n=1)
        hint = f"did you mean {near[0]}" if near else f"there are: {', '.join(known)}"
        raise BadCall(f"There is no function {_brief(name)}; {hint}.")
    checked: Arguments = {}
    names = [parameter.name for parameter in function.parameters]
    for extra in arguments:
        if extra not in names:
            raise BadCall(f"{signature(function)} has no parameter {_brief(extra)}.")
    for parameter in function.parameters:
        value = arguments.get(parameter.name)
        if value is not None:
            checked[parameter.name] = _checked(function, parameter, value)
        elif parameter.required:
            raise BadCall(f"The parameter {parameter.name} of {signature(function)} is missing.")
    return action_string(function, checked)


def find_call(schema: ActionSchema, action: str) -> tuple[ActionFunction, Arguments]:
    """A call whose action string is ``action``. ValueError where there is none."""
    for function in schema:
        for pattern in _patterns(function):
            match = pattern.fullmatch(action)
            if match is None:
                continue
            types = {parameter.name: parameter.type for parameter in function.parameters}
            arguments = {name: _read(types[name], text) for name, text in match.groupdict().items()}
            if action_string(function, arguments) == action:
                return function, arguments
    raise ValueError(f"no function of the action schema makes {action!r}: use the format raw, react or backticks")


def action_string(function: ActionFunction, arguments: Arguments) -> str:
    """The function's template filled in; a missing optional parameter takes the space beside it along."""
    return "".join(text if name is None else str(arguments[name]) for text, name in _layout(function, arguments))


def signature(function: ActionFunction) -> str:
    """``get(count: integer, item: string)``; an optional parameter has a question mark."""
    told = (f"{entry.name}{'' if entry.required else '?'}: {_type(entry)}" for entry in function.parameters)
    return f"{function.name}({', '.join(told)})"


def describe(schema: ActionSchema) -> str:
    """The functions with what they do and what their parameters mean, one a line."""
    lines = []
    for function in schema:
        meanings = "; ".join(f"{entry.name}: {entry.description}" for entry in function.parameters if entry.description)
        lines.append(f"- {signature(function)}: {function.description}" + (f" ({meanings})" if meanings else ""))
    return "\n".join(lines)


def _type(parameter: Parameter) -> str:
    return "|".join(parameter.enum) if parameter.enum else parameter.type


def _layout(function: ActionFunction, present: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """The template as literal texts and (with a name) parameters, without those that are not ``present``."""
    present = set(present)
    pieces: list[tuple[str, str | None]] = []
    gap = False
    for literal, name, _, _ in Formatter().parse(function.template or function.name):
        if gap and (not pieces or (pieces[-1][1] is None and pieces[-1][0].endswith(" "))):
            literal = literal.removeprefix(" ")
        if literal:
            pieces.append((literal, None))
            gap = False
        if name is not None and name in present:
            pieces.append(("", name))
            gap = False
        elif name is not None:
            gap = True
    if gap and pieces and pieces[-1][1] is None:
        pieces[-1] = (pieces[-1][0].removesuffix(" "), None)
    return iter(pieces)


@lru_cache(maxsize=1024)
def _patterns(function: ActionFunction) -> list[re.Pattern[str]]:
    """What action strings look like, for each choice of optional parameters; most parameters first."""
    required = [parameter.name for parameter in function.parameters if parameter.required]
    optional = [parameter.name for parameter in function.parameters if not parameter.required]
    patterns = {
        parameter.name: "|".join(map(re.escape, parameter.enum)) or _PATTERNS[parameter.type]
        for parameter in function.parameters
    }
    made = []
    for count in range(len(optional), -1, -1):
        for chosen in combinations(optional, count):
            layout = _layout(function, [*required, *chosen])
            text = "".join(re.escape(text) if name is None else f"(?P<{name}>{patterns[name]})" for text, name in layout)
            made.append(re.compile(text, re.DOTALL))
    return made


def _read(kind: str, text: str) -> Value:
    if kind == "integer":
        return int(text)
    if kind == "number":
        return float(text) if "." in text else int(text)
    return text == "True" if kind == "boolean" else text


def _checked(function: ActionFunction, parameter: Parameter, value: object) -> Value:
    """``value`` as the parameter's type. Numbers in quotes and whole floats are taken for what they mean."""
    if parameter.enum:
        if str(value) in parameter.enum if isinstance(value, str | int) else False:
            return str(value)
    elif parameter.type == "boolean":
        if isinstance(value, bool):
            return value
    elif isinstance(value, str):
        if parameter.type == "string":
            return value
        if _INTEGER.fullmatch(value) or (parameter.type == "number" and _DECIMAL.fullmatch(value)):
            return float(value) if "." in value else int(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 10**18:
        if parameter.type == "string":
            return str(value)
        if parameter.type == "number":
            return value
        if int(value) == value:
            return int(value)
    raise BadCall(f"The parameter {parameter.name} of {signature(function)} cannot be {_brief(value)}.")


def _brief(value: object) -> str:
    """A value for a message, short whatever it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    if isinstance(value, bool | None):
        return repr(value)
    return "that number" if isinstance(value, int | float) else f"a {type(value).__name__}"
