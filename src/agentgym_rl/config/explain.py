"""Every key with its type, default and explanation: for the docs and for ``train --help-settings``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agentgym_rl.config.schema import Model, section_of, type_name
from agentgym_rl.config.source import KeyPath, dotted


@dataclass(frozen=True, slots=True)
class Explanation:
    """One key of the settings."""

    key: str
    type: str
    default: str
    """As YAML; ``required`` where there is none."""
    text: str
    """The docstring under the field, or of the section."""
    condition: str = ""
    """When the key is read, where that is not always."""
    section: bool = False


def explain(model: Model) -> list[Explanation]:
    """Every key below ``model``, sections before their keys, all kinds of a union one after another."""
    return list(_explain(model, (), ""))


def _explain(model: Model, prefix: KeyPath, kind: str) -> Iterator[Explanation]:
    for name, field in model.model_fields.items():
        path = (*prefix, name)
        condition = model.read_when.get(name)
        when = "; ".join(part for part in (kind, f"read when {condition}" if condition else "") if part)
        section = section_of(field)
        text = " ".join((field.description or "").split())
        if section is None:
            default = "required" if field.is_required() else _yaml(field.get_default(call_default_factory=True))
            yield Explanation(dotted(path), type_name(field.annotation), default, text, when)
            continue
        text = text or " ".join((section.models[0].__doc__ or "").split())
        default = "null" if field.default is None else ""
        yield Explanation(
            dotted(path), "list of sections" if section.listed else "section", default, text, when, section=True
        )
        inner = (*path, "N") if section.listed else path
        if section.discriminator is None:
            yield from _explain(section.models[0], inner, "")
        else:
            for value, option in section.kinds().items():
                yield from _explain(option, inner, f"{section.discriminator}={value}")


def _yaml(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return '""' if value == "" else str(list(value) if isinstance(value, tuple) else value)
