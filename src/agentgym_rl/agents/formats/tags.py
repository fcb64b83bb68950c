"""The action between tags: ``<think>…</think><search>…</search>`` (Search-R1, https://arxiv.org/abs/2503.09516)."""

from __future__ import annotations

import re

from agentgym_rl.agents.formats.calls import BadCall, call_action, find_call
from agentgym_rl.agents.formats.protocol import ActionFormat, Reading, after_thought
from agentgym_rl.environments.protocol import ActionFunction, ActionSchema

ACTION_TAG = "action"


class TagsFormat(ActionFormat):
    """The first complete tag behind the thought counts.

    A function of the schema with one parameter at most is a tag of its name, its content the argument; ``<action>`` holds
    an action string.
    """

    name = "tags"
    thought = ("<think>", "</think>\n")

    def __init__(self, schema: ActionSchema) -> None:
        super().__init__(schema)
        self._functions = _taggable(schema)
        names = sorted({ACTION_TAG, *self._functions}, key=len, reverse=True)
        self._tag = re.compile(f"<({'|'.join(map(re.escape, names))})[ \t]*(/?)>")

    def instructions(self, schema: ActionSchema) -> str:
        functions = _taggable(schema)
        lines = [f"{_example(function)}: {function.description}" for function in functions.values()]
        if len(functions) < len(schema) or not schema:
            lines.append("<action>your action</action>" + (": any other action" if functions else ""))
        return "Reason inside <think> and </think>, then act by exactly one of:\n" + "\n".join(lines)

    def read(self, message: str) -> Reading:
        text = after_thought(message)
        unclosed: set[str] = set()
        for opening in self._tag.finditer(text):
            name, empty = opening[1], opening[2]
            end = opening.end() if empty else -1 if name in unclosed else text.find(f"</{name}>", opening.end())
            if end >= 0:
                return self._reading(name, text[opening.end() : end].strip())
            unclosed.add(name)
        names = [*self._functions, ACTION_TAG]
        told = f"<{min(unclosed)}> is never closed in your message" if unclosed else "Your message has no tag that acts"
        return Reading(None, f"{told}. Act by one of {', '.join(f'<{name}>…</{name}>' for name in names)}.")

    def _reading(self, name: str, content: str) -> Reading:
        function = self._functions.get(name)
        if function is None:
            return Reading(content) if content else Reading(None, "Your <action> is empty. Put the action between the tags.")
        if function.parameters and not content and function.parameters[0].required:
            return Reading(None, f"Your <{name}> is empty. Write {_example(function)}.")
        arguments = {function.parameters[0].name: content} if function.parameters and content else {}
        try:
            return Reading(call_action(self.schema, name, arguments))
        except BadCall as error:
            return Reading(None, f"{error} Write {_example(function)}.")

    def _write(self, action: str) -> str:
        try:
            function, arguments = find_call(tuple(self._functions.values()), action)
        except ValueError:
            return f"<{ACTION_TAG}>{action}</{ACTION_TAG}>"
        content = "".join(map(str, arguments.values()))
        return f"<{function.name}>{content}</{function.name}>"


def _taggable(schema: ActionSchema) -> dict[str, ActionFunction]:
    return {function.name: function for function in schema if len(function.parameters) <= 1 and function.name != ACTION_TAG}


def _example(function: ActionFunction) -> str:
    content = function.parameters[0].name if function.parameters else ""
    return f"<{function.name}>{content}</{function.name}>"
