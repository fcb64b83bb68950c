"""Turns pydantic's errors into one line for whoever wrote the settings."""

from __future__ import annotations

import difflib
import typing
from typing import Any, Literal

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from agentgym_rl.config.draft import Draft
from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.schema import Model, section_of, type_name
from agentgym_rl.config.source import KeyPath, dotted


def describe(error: ValidationError, draft: Draft, root: Model) -> ConfigError:
    """The first problem, and how many more there are."""
    problems = error.errors(include_url=False)
    located = [(_locate(problem, draft.tree), problem) for problem in problems]
    path, first = located[0]
    others = len({other for other, _ in located if not _overlap(other, path)})
    more = f" (and {others} more problem{'s' * (others > 1)})" if others else ""
    said = path[:-1] if first["type"] == "missing" and isinstance(first["loc"][-1], str) else path
    return ConfigError(f"{draft.where(said)}{_say(path, first, draft, root)}{more}")


def _locate(problem: Any, tree: Any) -> KeyPath:
    """Where the problem is, without the tags that pydantic adds for the options of a union."""
    path: KeyPath = ()
    node = tree
    for position, part in enumerate(problem["loc"]):
        absent = problem["type"] == "missing" and position == len(problem["loc"]) - 1
        if (isinstance(node, dict) and part in node) or (isinstance(node, list) and part in range(len(node))):
            node = node[part]
            path = (*path, part)
        elif absent and isinstance(part, str):
            path = (*path, part)
    return path


def _say(path: KeyPath, problem: Any, draft: Draft, root: Model) -> str:
    kind, name = problem["type"], dotted(path)
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    if kind == "missing" and isinstance(problem["loc"][-1], str):
        return f"{name} is missing: give it a value ({type_name(_field(path, root).annotation)})"
    if kind.startswith("union_tag"):
        discriminator = problem["ctx"]["discriminator"].strip("'")
        section = section_of(_field(path, root))
        kinds = list(section.kinds()) if section else []
        value = draft.get(path).get(discriminator)
        shown = f"{name}.{discriminator}" if value is None else f"{name}.{discriminator}={value!r}"
        return f"{shown}: should be one of {', '.join(kinds)}{_near(value, kinds)}"
    value = draft.get(path)
    subject = "" if path in draft.overrides else f"{name}={_short(value)}: "
    if kind.endswith("_type") or kind in ("literal_error", "missing"):
        annotation = _annotation(path, root)
        return f"{subject}should be {type_name(annotation)}{_near(value, _choices(annotation))}"
    if kind in ("too_short", "too_long"):
        bound = (
            f"at least {problem['ctx']['min_length']}" if kind == "too_short" else f"at most {problem['ctx']['max_length']}"
        )
        return f"{subject}should have {bound} item(s){_kind_of_section(path, draft, root)}"
    reason = problem["msg"].replace("Input should", "should")
    return f"{subject}{reason[0].lower()}{reason[1:]}"


def _kind_of_section(path: KeyPath, draft: Draft, root: Model) -> str:
    """Which kind of a union made the rule, e.g. `` while horizon.schedule is fixed``."""
    section = section_of(_field(path[:-1], root)) if len(path) > 1 else None
    if section is None or section.discriminator is None:
        return ""
    key = (*path[:-1], section.discriminator)
    return f" while {dotted(key)} is {draft.get(key)}"


def _overlap(one: KeyPath, other: KeyPath) -> bool:
    """Whether one is the other or around it: pydantic has an entry for each type that a value might have had."""
    common = min(len(one), len(other))
    return one[:common] == other[:common]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _near(value: Any, choices: list[str]) -> str:
    near = difflib.get_close_matches(value, choices, n=1, cutoff=0.5) if isinstance(value, str) else []
    return f"; did you mean {near[0]}?" if near and len(choices) > 1 else ""


def _choices(annotation: Any) -> list[str]:
    if typing.get_origin(annotation) is Literal:
        return [str(value) for value in typing.get_args(annotation)]
    return [choice for option in typing.get_args(annotation) for choice in _choices(option)]


def _field(path: KeyPath, root: Model) -> FieldInfo:
    """The field at ``path``, or the innermost around it where ``path`` goes on into a plain value."""
    models: tuple[Model, ...] = (root,)
    found: FieldInfo | None = None
    for part in path:
        if isinstance(part, int):
            continue
        candidates = [model.model_fields[part] for model in models if part in model.model_fields]
        if not candidates:
            break
        found = candidates[0]
        section = section_of(found)
        models = section.models if section else ()
    assert found is not None, path
    return found


def _annotation(path: KeyPath, root: Model) -> Any:
    """The type expected at ``path``: of the field, or of the items of its list."""
    annotation: Any = _field(path, root).annotation
    trailing = 0
    while trailing < len(path) and isinstance(path[len(path) - 1 - trailing], int):
        trailing += 1
    for _ in range(trailing):
        options = (annotation, *typing.get_args(annotation))
        listed = next((option for option in options if typing.get_origin(option) in (list, tuple)), None)
        if listed is None:
            break
        annotation = typing.get_args(listed)[0]
    return annotation
