"""Reads YAML into a plain tree and remembers on which line each key stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from agentgym_rl.config.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""Where a value is in the tree: keys of mappings, positions in lists."""

_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_TAGS = frozenset(("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value"))
"""What PyYAML's resolver calls values without a tag of their own."""
_INTEGER = re.compile(r"[-+]?[0-9]+")
_LONGEST_INTEGER = 4000
"""Digits of an integer; more are a number without bounds, which Python refuses to convert."""
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def parse(text: str, name: str, *, one_line: bool = False) -> tuple[Any, dict[KeyPath, int]]:
    """The tree of a YAML document and the line of each of its keys and list items, counted from 1.

    Scalars are those of YAML 1.2's core schema: ``1e-6`` is a number, ``no`` and ``2024-01-01`` are strings (PyYAML's own
    rules say otherwise). A key given twice, an unknown tag and broken YAML are a ConfigError that starts with ``name``
    and the line, unless it is but ``one_line``.
    """

    def where(line: int) -> str:
        return name if one_line else f"{name}:{line}"

    lines: dict[KeyPath, int] = {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return (None if node is None else _build(node, (), lines, where, ())), lines
    except RecursionError as error:
        raise ConfigError(f"{name}: nested too deeply for settings") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{where(line)}: not readable as YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{name}: not readable as YAML: {' '.join(str(error).split())}") from error


def _build(
    node: yaml.Node, path: KeyPath, lines: dict[KeyPath, int], where: Callable[[int], str], above: tuple[yaml.Node, ...]
) -> Any:
    line = node.start_mark.line + 1
    if any(node is other for other in above):
        raise ConfigError(f"{where(line)}: an alias contains itself")
    if node.tag.removeprefix("tag:yaml.org,2002:") not in _TAGS:
        raise ConfigError(f"{where(line)}: unknown tag {node.tag}; write plain values")
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, at = key_node.value, key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{where(at)}: a key must be a word")
            inner = (*path, key)
            if key in mapping:
                raise ConfigError(f"{where(at)}: {dotted(inner)} is given twice, first on line {lines[inner]}")
            lines[inner] = at
            mapping[key] = _build(value_node, inner, lines, where, (*above, node))
        return mapping
    if isinstance(node, yaml.SequenceNode):
        items = []
        for position, item in enumerate(node.value):
            lines[(*path, position)] = item.start_mark.line + 1
            items.append(_build(item, (*path, position), lines, where, (*above, node)))
        return items
    assert isinstance(node, yaml.ScalarNode)
    return node.value if node.style else _scalar(node.value)


def _scalar(text: str) -> Any:
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if _INTEGER.fullmatch(text) and len(text) <= _LONGEST_INTEGER:
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def dotted(path: KeyPath) -> str:
    """The path as it is written on the command line: ``environment.mix.0.id``."""
    return ".".join(map(str, path))
