"""What each format reads, and what it tells a model that wrote something else."""

from __future__ import annotations

import json

import pytest

from agentgym_rl.agents.formats import FORMATS, UnknownFormat, format_named
from agentgym_rl.environments.protocol import ActionSchema

READ = [
    ("raw", "  get 2 oak log\n", "get 2 oak log"),
    ("raw", "<think>two logs</think>\n\nget 2 oak log", "get 2 oak log"),
    ("react", "Thought: logs first.\nAction: get 2 oak log", "get 2 oak log"),
    ("react", "**Action:** get 2 oak log\nObservation: Got it.", "get 2 oak log"),
    ("react", "action:\n\nget 2 oak log\n", "get 2 oak log"),
    ("backticks", "I will ```click [12]```", "click [12]"),
    ("backticks", "```\nclick [12]\n``` and then ```stop```", "click [12]"),
    ("tags", "<think>who?</think><search>who was it</search>", "search[who was it]"),
    ("tags", "<search>a</search><search>b</search>", "search[a]"),
    ("tags", "<think><search>no</search></think> <inventory/>", "inventory"),
    ("tags", "<press>open <search>x</search>", "search[x]"),
    ("tags", "<action> get 2 oak log </action>", "get 2 oak log"),
    ("function_calling", '{"name": "get", "arguments": {"count": 2, "item": "oak log"}}', "get 2 oak log"),
    (
        "function_calling",
        'So:\n```json\n{"name": "get", "arguments": {"count": "2", "item": "oak log"}}\n```',
        "get 2 oak log",
    ),
    ("function_calling", '<tool_call>\n{"name": "inventory", "arguments": {}}\n</tool_call>', "inventory"),
    ("function_calling", '[{"name": "inventory"}]', "inventory"),
    ("function_calling", '{"name": "search", "arguments": "{\\"query\\": \\"x\\"}"}', "search[x]"),
    ("function_calling", '{"type": "function", "function": {"name": "press", "parameters": {"key": "up"}}}', "press up"),
    (
        "function_calling",
        '{"thought": "{hm}", "function_name": "set", "arguments": {"heat": 1.5, "fan": true}}',
        "set 1.5 True",
    ),
    ("function_calling", 'The set {1, 2} is odd. {"name": "inventory"}', "inventory"),
    ("code", "get(2, 'oak log')", "get 2 oak log"),
    ("code", "# first the planks\ncraft('plank', ingredients='1 oak log')", "craft plank using 1 oak log"),
    (
        "code",
        "Sure:\n```python\ncraft(item='plank', count=4, ingredients='1 oak log')\n```",
        "craft 4 plank using 1 oak log",
    ),
]

UNREAD = [
    ("raw", " \n", "empty"),
    ("react", "get 2 oak log", "no line that begins with 'Action:'"),
    ("react", "Action: a\nAction: b", "2 lines"),
    ("react", "Action: ", "Nothing follows"),
    ("backticks", "click [12]", "no text between"),
    ("backticks", "``` ```", "empty"),
    ("tags", "who was it", "no tag"),
    ("tags", "<search>who was it", "<search> is never closed"),
    ("tags", "<search> </search>", "is empty"),
    ("tags", "<action></action>", "is empty"),
    ("tags", "<press>left</press>", "cannot be 'left'"),
    ("function_calling", "inventory", "no function call"),
    ("function_calling", '{"name": "inventory"} {"name": "inventory"}', "2 function calls"),
    (
        "function_calling",
        '{"name": "get", "arguments": {"count": 2}}',
        "item of get(count: integer, item: string) is missing",
    ),
    ("function_calling", '{"name": "inventry"}', "did you mean inventory"),
    ("function_calling", '{"name": "get", "arguments": {"count": "two", "item": "log"}}', "count of get"),
    ("function_calling", '{"name": "get", "arguments": {"count": 2.5, "item": "log"}}', "count of get"),
    ("function_calling", '{"name": "get", "arguments": {"count": true, "item": "log"}}', "cannot be True"),
    ("function_calling", '{"name": "get", "arguments": {"count": NaN, "item": "log"}}', "number"),
    ("function_calling", '{"name": "search", "arguments": {"query": ["x"]}}', "cannot be a list"),
    ("function_calling", '{"name": "inventory", "arguments": {"x": 1}}', "no parameter 'x'"),
    ("function_calling", '{"name": "inventory", "arguments": [1]}', "not a JSON object"),
    ("function_calling", '{"name": "inventory", "arguments": "x"}', "not a JSON object"),
    ("function_calling", '{"name": "inventory", ', "cannot be read"),
    ("code", "get 2 oak log", "not Python syntax"),
    ("code", "inventory(); inventory()", "2 statements"),
    ("code", "x = inventory()", "not a function call"),
    ("code", "a.inventory()", "not a function call"),
    ("code", "search(open('/etc/passwd'))", "not a literal"),
    ("code", "search(*['x'])", "not a literal"),
    ("code", "search(**{'query': 'x'})", "unpacked"),
    ("code", "search('x', query='x')", "twice"),
    ("code", "search('x', 'y')", "takes 1 arguments at most"),
    ("code", "__import__('os')", "no function '__import__'"),
    ("code", f"search('{'x' * 9000}')", "longer than"),
]


@pytest.mark.parametrize(("name", "message", "action"), READ)
def test_reads(name: str, message: str, action: str, workshop: ActionSchema) -> None:
    assert format_named(name, workshop).read(message) == (action, None)


@pytest.mark.parametrize(("name", "message", "told"), UNREAD)
def test_says_what_was_wrong(name: str, message: str, told: str, workshop: ActionSchema) -> None:
    reading = format_named(name, workshop).read(message)
    assert reading.action is None
    assert reading.problem is not None
    assert told in reading.problem


@pytest.mark.parametrize("name", FORMATS)
def test_instructions_name_the_functions_where_the_format_calls_them(name: str, workshop: ActionSchema) -> None:
    told = format_named(name, workshop).instructions(workshop)
    assert ("search" in told) == (name in ("function_calling", "code", "tags"))
    assert ("action" in told.lower()) == (name in ("react", "backticks", "tags"))


@pytest.mark.parametrize("name", ["function_calling", "code"])
def test_a_world_without_a_schema_has_one_function(name: str) -> None:
    action_format = format_named(name, ())
    assert "act(action: string)" in action_format.instructions(())
    assert action_format.read(action_format.write("look around")).action == "look around"


def test_what_a_format_cannot_say_is_an_error(workshop: ActionSchema) -> None:
    with pytest.raises(ValueError, match="no place for a thought"):
        format_named("raw", workshop).write("look", thought="hm")
    with pytest.raises(ValueError, match="no function of the action schema makes 'look around'"):
        format_named("function_calling", workshop).write("look around")
    with pytest.raises(ValueError, match="cannot carry"):
        format_named("react", workshop).write("look\nAction: look")
    with pytest.raises(ValueError, match="cannot carry"):
        format_named("backticks", workshop).write("a ``` b")


def test_an_unknown_format_names_the_nearest(workshop: ActionSchema) -> None:
    with pytest.raises(UnknownFormat, match="did you mean react"):
        format_named("reakt", workshop)
    with pytest.raises(UnknownFormat, match="there are: raw, react"):
        format_named("xml!", workshop)


def test_function_calls_are_json(workshop: ActionSchema) -> None:
    message = format_named("function_calling", workshop).write("get 2 oak log")
    assert json.loads(message) == {"name": "get", "arguments": {"count": 2, "item": "oak log"}}
