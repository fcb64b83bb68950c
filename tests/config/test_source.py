"""YAML as read: scalars, lines, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.source import parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("3E5", 3e5),
        ("1", 1),
        ("-2", -2),
        ("010", 10),
        (".5", 0.5),
        ("1.", 1.0),
        ("true", True),
        ("no", "no"),
        ("on", "on"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ('"3"', "3"),
        ("'true'", "true"),
        ("~", None),
        ("", None),
        ('""', ""),
        ("[1, a, {b: 2}]", [1, "a", {"b": 2}]),
        ("日本", "日本"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    parsed, _ = parse(text, "x")
    assert parsed == value
    assert type(parsed) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_as_python_writes_them_are_read_back(number: float) -> None:
    parsed, _ = parse(repr(number), "x")
    assert float(parsed) == number
    assert math.copysign(1, float(parsed)) == math.copysign(1, number)


def test_lines_of_keys_and_items() -> None:
    _, lines = parse("a:\n  b: 1\n\n  c:\n  - x\n  - d: 2\n", "x")
    assert lines[("a",)] == 1
    assert lines[("a", "b")] == 2
    assert lines[("a", "c", 1)] == 6
    assert lines[("a", "c", 1, "d")] == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: a is given twice, first on line 1"),
        ("a:\n  b: 1\n  b: 1\n", "f.yaml:3: a.b is given twice, first on line 2"),
        ("a: [1\n", "f.yaml:2: not readable as YAML"),
        ("a: !!python/object:os.system x\n", "f.yaml:1: "),
        ("a: !secret x\n", "f.yaml:1: unknown tag !secret"),
        ("a: &x [*x]\n", "f.yaml:1: an alias contains itself"),
        ("? [a]\n: 1\n", "f.yaml:1: a key must be a word"),
        ("a: \x00", "f.yaml: not readable as YAML"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(text, "f.yaml")
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_an_alias_is_a_copy() -> None:
    tree, _ = parse("a: &x {b: 1}\nc: *x\n", "f.yaml")
    tree["a"]["b"] = 2
    assert tree["c"] == {"b": 1}


def test_a_number_of_any_length_is_a_number() -> None:
    digits = "9" * 300
    assert parse(f"a: {digits}", "f.yaml")[0] == {"a": int(digits)}
    assert parse(f"a: {digits * 20}\nb: -{digits * 20}", "f.yaml")[0] == {"a": float("inf"), "b": float("-inf")}
