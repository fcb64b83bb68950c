"""Formats take whatever a model writes, in no time, and read back what they wrote."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.agents.formats import FORMATS, format_named
from agentgym_rl.agents.formats.calls import action_string, find_call
from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

SCHEMA: ActionSchema = (
    ActionFunction("get", "", (Parameter("count", "integer", ""), Parameter("item", "string", "")), "get {count} {item}"),
    ActionFunction(
        "craft",
        "",
        (Parameter("item", "string", ""), Parameter("of", "string", ""), Parameter("count", "integer", "", required=False)),
        "craft {count} {item} using {of}",
    ),
    ActionFunction("look", ""),
    ActionFunction("search", "", (Parameter("query", "string", ""),), "search[{query}]"),
)
MARKS = [
    "Action:",
    "Thought:",
    "```",
    "```json\n",
    "<think>",
    "</think>",
    "<search>",
    "</search>",
    "<action>",
    "<tool_call>",
]
SIGNS = ["{", "}", '"name"', '"arguments"', ":", "search", "look", "(", ")", "'", '"', "\\"]
BRICKS = st.sampled_from([*MARKS, *SIGNS, "\n", "\x00", "\x1b", "\ud83d", "\u202e", "😀", " "])
MESSAGES = st.one_of(st.text(), st.lists(BRICKS | st.text(max_size=3), max_size=30).map("".join))
LARGE = {
    "empty": "",
    "letters": "a" * 100_000,
    "spaces": " " * 100_000,
    "newlines": "\n" * 100_000,
    "stars": "*" * 100_000,
    "braces": "{" * 100_000,
    "brackets": "[" * 100_000,
    "deep JSON": '{"name":' * 10_000 + "1" + "}" * 10_000,
    "deep arguments": '{"name": "look", "arguments": "' + "[" * 50_000 + '"}',
    "open strings": '{"' * 50_000,
    "open calls": '{"name":"look","a":' * 5_000,
    "long number": '{"name": "get", "arguments": {"count": ' + "9" * 50_000 + "}}",
    "backticks": "`" * 100_000,
    "fences": "```python\n" * 10_000,
    "tags": "<search>" * 50_000,
    "tag starts": "<search" * 14_000,
    "actions": "Action:\n" * 12_500,
    "tabs": "\t*" * 50_000 + "action",
    "null": "\x00" * 100_000,
    "half": "\ud83d" * 100_000,
}
SOURCES = [
    "(",
    "[",
    "{",
    "-",
    "not ",
    "lambda:",
    "f(",
    "a.",
    "f'{",
    "1+",
    "x if x else ",
    "a[",
    "await ",
    "*",
    "a:=",
    "1,",
    "a()",
]


@pytest.mark.parametrize("name", FORMATS)
@given(message=MESSAGES)
def test_any_message_is_an_action_or_a_problem(name: str, message: str) -> None:
    reading = format_named(name, SCHEMA).read(message)
    assert (reading.action is None) != (reading.problem is None)
    assert reading.problem is None or len(reading.problem) < 1000


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", LARGE)
def test_large_messages_take_milliseconds(name: str, kind: str) -> None:
    action_format = format_named(name, SCHEMA)
    begin = time.process_time()
    reading = action_format.read(LARGE[kind])
    assert time.process_time() - begin < 0.25, "a quadratic reader would take seconds"
    assert (reading.action is None) != (reading.problem is None)


@pytest.mark.parametrize("part", SOURCES)
def test_deep_sources_are_a_problem_and_no_crash(part: str) -> None:
    for length in (300, 7_900):
        source = part * (length // len(part))
        for message in (source, source + "1", f"search({source}1)"):
            assert format_named("code", SCHEMA).read(message).action is None


WORDS = st.text(alphabet=st.characters(exclude_categories=()), min_size=1, max_size=20)
CALLS = st.one_of(
    st.builds(lambda count, item: (SCHEMA[0], {"count": count, "item": item}), st.integers(-(10**6), 10**6), WORDS),
    st.builds(lambda item, of: (SCHEMA[1], {"item": item, "of": of}), WORDS, WORDS),
    st.builds(lambda item, of, n: (SCHEMA[1], {"item": item, "of": of, "count": n}), WORDS, WORDS, st.integers(0, 99)),
    st.just((SCHEMA[2], {})),
    st.builds(lambda query: (SCHEMA[3], {"query": query}), WORDS),
)


@given(call=CALLS)
def test_every_action_of_the_schema_has_a_call(call: tuple[ActionFunction, dict[str, str | int]]) -> None:
    action = action_string(*call)
    assert action_string(*find_call(SCHEMA, action)) == action


@pytest.mark.parametrize("name", ["function_calling", "code"])
@given(call=CALLS)
def test_calls_carry_every_action_of_the_schema(name: str, call: tuple[ActionFunction, dict[str, str | int]]) -> None:
    action = action_string(*call)
    if name == "code" and "</think>" in action:
        return
    action_format = format_named(name, SCHEMA)
    assert action_format.read(action_format.write(action)).action == action


PLAIN = st.text(alphabet="abc XYZ 019 é😀,.'\"[]{}()\\", min_size=1, max_size=30).map(str.strip).filter(bool)


@pytest.mark.parametrize("name", FORMATS)
@given(item=PLAIN, count=st.integers(1, 64), thought=PLAIN)
def test_reads_what_it_wrote(name: str, item: str, count: int, thought: str) -> None:
    action_format = format_named(name, SCHEMA)
    action = f"get {count} {item}"
    assert action_format.read(action_format.write(action)) == (action, None)
    if action_format.thought is not None:
        assert action_format.read(action_format.write(action, thought)) == (action, None)
