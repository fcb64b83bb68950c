"""The action as one call in Python syntax."""

from __future__ import annotations

import ast
import re
import warnings

from agentgym_rl.agents.formats.calls import ANY_ACTION, BadCall, call_action, describe, find_call
from agentgym_rl.agents.formats.protocol import ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionSchema

MAX_LENGTH = 8000
"""Characters: Python's parser is recursive, so that much longer sources could exhaust its stack."""
FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
HOW = "Answer with exactly one call and literal arguments, such as FUNCTION(PARAMETER='text', OTHER=2)."


class CodeFormat(ActionFormat):
    """The message, or the first fenced block in it, is one call with literal arguments; comments may precede it.

    Read by :mod:`ast` alone, never evaluated.
    """

    name = "code"
    thought = ("# ", "\n")

    def __init__(self, schema: ActionSchema) -> None:
        super().__init__(schema or ANY_ACTION)

    def instructions(self, schema: ActionSchema) -> str:
        functions = describe(schema or ANY_ACTION)
        return f"You act by one function call in Python syntax:\n{functions}\n{HOW} Reasoning goes into a comment before it."

    def read(self, message: str) -> Reading:
        try:
            return Reading(self._read(after_thought(message)))
        except BadCall as error:
            return Reading(None, f"{error} {HOW}")

    def _read(self, text: str) -> str:
        fenced = FENCED.search(text)
        source = fenced[1] if fenced else text
        name, call = _parse(source.strip())
        function = next((entry for entry in self.schema if entry.name == name), None)
        names = [parameter.name for parameter in function.parameters] if function else []
        arguments: dict[str, object] = {}
        for place, node in enumerate(call.args):
            if function is not None and place >= len(names):
                raise BadCall(f"{function.name} takes {len(names)} arguments at most.")
            arguments[names[place] if function else str(place)] = _literal(node)
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in arguments:
                raise BadCall("An argument of your call is given twice or unpacked.")
            arguments[keyword.arg] = _literal(keyword.value)
        return call_action(self.schema, name, arguments)

    def _write(self, action: str) -> str:
        function, arguments = find_call(self.schema, action)
        return f"{function.name}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _parse(source: str) -> tuple[str, ast.Call]:
    """The one call of ``source``, and the plain name of its function."""
    if len(source) > MAX_LENGTH:
        raise BadCall(f"Your message is longer than the {MAX_LENGTH} characters that are read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except SyntaxError as error:
        raise BadCall(f"Your message is not Python syntax ({error.msg}, line {error.lineno}).") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadCall("Your message is not Python syntax.") from None
    if len(body) != 1:
        raise BadCall(f"Your message has {len(body)} statements.")
    call = body[0].value if isinstance(body[0], ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise BadCall("Your message is not a function call.")
    return call.func.id, call


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise BadCall("An argument of your call is not a literal text or number.") from None
