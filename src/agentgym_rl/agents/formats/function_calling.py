"""The action as a function call in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentgym_rl.agents.formats.calls import ANY_ACTION, BadCall, call_action, describe, find_call
from agentgym_rl.agents.formats.protocol import END_OF_THOUGHT, ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionSchema

NAME_KEYS = ("name", "function_name", "function")
ARGUMENT_KEYS = ("arguments", "parameters", "args")
MAX_ATTEMPTS = 32
"""Opening braces from which JSON is tried: bounds the time that a message of braces takes."""
HOW = 'Answer with exactly one call in JSON: {"name": "FUNCTION", "arguments": {"PARAMETER": VALUE}}'


class FunctionCallingFormat(ActionFormat):
    """One JSON object ``{"name": …, "arguments": {…}}`` anywhere in the message, checked against the action schema.

    Read too: the object in ``<tool_call>`` tags or a code fence or inside ``{"function": …}``, ``parameters`` for
    ``arguments``, ``function_name`` for ``name``, and arguments that are themselves JSON in a string.
    """

    name = "function_calling"
    thought = ("", "\n")

    def __init__(self, schema: ActionSchema) -> None:
        super().__init__(schema or ANY_ACTION)

    def instructions(self, schema: ActionSchema) -> str:
        return f"You act by calling one of these functions:\n{describe(schema or ANY_ACTION)}\n{HOW}"

    def read(self, message: str) -> Reading:
        calls: list[tuple[str, object]] = []
        problem = "Your message has no function call."
        for found in _objects(after_thought(message)):
            if isinstance(found, str):
                problem = f"The JSON in your message cannot be read: {found}."
            elif (call := _call(found)) is not None:
                calls.append(call)
        if len(calls) != 1:
            return Reading(None, f"{problem if not calls else f'Your message has {len(calls)} function calls.'} {HOW}")
        name, arguments = calls[0]
        try:
            if isinstance(arguments, str):
                arguments = _load(arguments)
            if not isinstance(arguments, dict):
                raise BadCall("The arguments of your call are not a JSON object.")
            return Reading(call_action(self.schema, name, arguments))
        except BadCall as error:
            return Reading(None, f"{error} {HOW}")
        except (ValueError, RecursionError):
            return Reading(None, f"The arguments of your call are not a JSON object. {HOW}")

    def _write(self, action: str) -> str:
        function, arguments = find_call(self.schema, action)
        text = json.dumps({"name": function.name, "arguments": arguments}, ensure_ascii=False)
        return text.replace(END_OF_THOUGHT, END_OF_THOUGHT.replace("/", "\\/"))


def _objects(text: str) -> Iterator[dict[str, Any] | str]:
    """The JSON objects in ``text``, outermost only; for what looks like one and is not, the reason."""
    position = 0
    for _ in range(MAX_ATTEMPTS):
        position = text.find("{", position)
        if position < 0:
            return
        try:
            value, position = _DECODER.raw_decode(text, position)
            yield value
        except json.JSONDecodeError as error:
            yield f"{error.msg} at character {error.pos - position}"
            position += 1
        except RecursionError:
            yield "it is nested too deeply"
            position += 1
        except ValueError:
            yield "it has a number that is too long or not a number"
            position += 1


def _call(found: dict[str, Any]) -> tuple[str, object] | None:
    """Name and arguments, where an object is a call."""
    inner = found.get("function")
    if isinstance(inner, dict):
        return _call({key: value for key, value in inner.items() if key != "function"})
    name = next((found[key] for key in NAME_KEYS if isinstance(found.get(key), str)), None)
    return None if name is None else (name, next((found[key] for key in ARGUMENT_KEYS if key in found), {}))


def _reject(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _load(text: str) -> object:
    return json.loads(text, strict=False, parse_constant=_reject)


_DECODER = json.JSONDecoder(strict=False, parse_constant=_reject)
