"""Settings as YAML, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from agentgym_rl.config.check import effective
from agentgym_rl.config.settings import Settings
from agentgym_rl.config.source import KeyPath, dotted


def dump(settings: Settings, header: Mapping[str, object] | None = None) -> str:
    """All settings as YAML that :func:`~agentgym_rl.config.load.load` reads back to equal ones.

    Keys that nothing reads under these settings are left out. ``header`` (versions, thread count …) becomes comments.
    """
    comments = "".join(f"# {key}: {value}\n" for key, value in (header or {}).items())
    return comments + yaml.dump(plain(settings), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def plain(settings: Settings) -> dict[str, Any]:
    """The settings that are read, as JSON values."""
    return _plain(settings, settings.model_dump(mode="json"), settings, ())


def _plain(settings: Settings, tree: dict[str, Any], root: Settings, path: KeyPath) -> dict[str, Any]:
    whole = root.model_dump(mode="json")
    read: dict[str, Any] = {}
    for name, value in tree.items():
        condition = settings.read_when.get(name)
        if condition is not None:
            cause = tuple(condition.key.split(".")) if "." in condition.key else (*path, condition.key)
            if not condition.holds(effective(whole, type(root), cause)):
                continue
        inner = getattr(settings, name)
        if isinstance(inner, Settings):
            read[name] = _plain(inner, value, root, (*path, name))
        elif isinstance(inner, list) and inner and isinstance(inner[0], Settings):
            read[name] = [
                _plain(item, part, root, (*path, name, position))
                for position, (item, part) in enumerate(zip(inner, value, strict=True))
            ]
        else:
            read[name] = value
    return read


@dataclass(frozen=True, slots=True)
class Difference:
    """One key whose value changed. ``None`` stands for unset too."""

    key: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.key}: {self.old!r} → {self.new!r}"


def difference(old: Settings, new: Settings) -> list[Difference]:
    """The keys in which two settings differ, in the order in which they are declared; lists are compared whole."""
    before, after = dict(_leaves(plain(old))), dict(_leaves(plain(new)))
    keys = dict.fromkeys([*before, *after])
    return [Difference(key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)]


def _leaves(tree: Mapping[str, Any], path: KeyPath = ()) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield dotted((*path, key)), value


class _Dumper(yaml.SafeDumper):
    """Lists of plain values on one line."""


def _represent_list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.Node:
    flat = not any(isinstance(item, dict) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flat)


_Dumper.add_representer(list, _represent_list)
