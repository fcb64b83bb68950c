"""Refuses keys that do not exist and keys that would do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym_rl.config.draft import Draft
from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.schema import Model, Section, nearest, section_of
from agentgym_rl.config.source import KeyPath, dotted


def check(draft: Draft, root: Model) -> None:
    """Walk the tree along the model. Fills in what a section's default instance says, drops inert keys of the file."""
    _check_section(draft, draft.tree, (), root, root)


def _check_section(draft: Draft, tree: dict[str, Any], path: KeyPath, model: Model, root: Model) -> None:
    for key in list(tree):
        here = (*path, key)
        if key not in model.model_fields:
            hint = nearest(key, path, model, root)
            raise ConfigError(f"{draft.where(here)}unknown key {dotted(here)}; {hint}")
        condition = model.read_when.get(key)
        if condition is not None:
            base, cause = _resolve(condition.key, path)
            if not condition.holds(effective(draft.tree, root, cause)):
                if tree[key] == model.model_fields[key].get_default(call_default_factory=True):
                    del tree[key]  # says what holds anyway
                else:
                    draft.inert(here, f"read only when {base}{condition}", cause)
                continue
        section = section_of(model.model_fields[key])
        if section is None or tree[key] is None:
            continue
        if section.listed:
            for position, item in enumerate(tree[key] if isinstance(tree[key], list) else []):
                _descend(draft, item, (*here, position), section, root)
        else:
            _descend(draft, tree[key], here, section, root)


def _descend(draft: Draft, tree: Any, path: KeyPath, section: Section, root: Model) -> None:
    if not isinstance(tree, dict):
        if section.plain:
            return  # validation says which values there are
        keys = ", ".join(dict.fromkeys(name for model in section.models for name in model.model_fields))
        raise ConfigError(f"{draft.where(path)}{dotted(path)}={tree!r}: is a section with the keys {keys}")
    model = section.choose(tree)
    if model is None:
        return  # validation names the discriminator and its values
    if section.discriminator is not None:
        _drop_other_kinds(draft, tree, path, section, model)
    if type(section.default) is model:
        for name in section.default.model_fields_set:
            tree.setdefault(name, section.default.model_dump(mode="json")[name])
    if section.discriminator is not None:
        tree.setdefault(section.discriminator, model.model_fields[section.discriminator].default)
    _check_section(draft, tree, path, model, root)


def _drop_other_kinds(draft: Draft, tree: dict[str, Any], path: KeyPath, section: Section, model: Model) -> None:
    """Keys that only other kinds of this section have."""
    assert section.discriminator is not None
    cause = (*path, section.discriminator)
    for key in [key for key in tree if key not in model.model_fields]:
        users = [value for value, kind in section.kinds().items() if key in kind.model_fields]
        if users:
            draft.inert((*path, key), f"read only when {dotted(cause)} is {' or '.join(users)}", cause)


def _resolve(key: str, path: KeyPath) -> tuple[str, KeyPath]:
    """A condition's key: a sibling of the section at ``path``, or dotted from the root. With what to print before it."""
    if "." in key:
        return "", tuple(key.split("."))
    return f"{dotted(path)}." if path else "", (*path, key)


def effective(tree: Mapping[str, Any], root: Model, path: KeyPath) -> Any:
    """The value at ``path`` if validation were to succeed: from the tree, else the default. Lists stay lists."""
    node: Any = tree
    for depth, part in enumerate(path):
        there = isinstance(part, int) if isinstance(node, list) else isinstance(node, Mapping) and part in node
        if not there:
            return _default(root, path, depth)
        node = node[part]
    return node


def _default(root: Model, path: KeyPath, depth: int) -> Any:
    """The default of the field at ``path``, of which the first ``depth`` parts are in the tree."""
    models: tuple[Model, ...] = (root,)
    for position, part in enumerate(path):
        if isinstance(part, int):
            continue
        field = next(model.model_fields[part] for model in models if part in model.model_fields)
        default = field.get_default(call_default_factory=True)
        if position >= depth:
            for rest in path[position + 1 :]:
                default = getattr(default, str(rest), None)
            return default
        section = section_of(field)
        models = section.models if section else ()
    raise AssertionError(f"{path} is in the tree")
