"""What keys a settings model has: the one place that takes annotations apart."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from agentgym_rl.config.settings import Settings
from agentgym_rl.config.source import KeyPath, dotted

Model = type[Settings]


@dataclass(frozen=True, slots=True)
class Section:
    """What a field that holds settings looks like."""

    models: tuple[Model, ...]
    """One, or the kinds of a discriminated union."""
    discriminator: str | None = None
    """The key that says which kind it is."""
    listed: bool = False
    """The field holds a list of such sections."""
    plain: bool = False
    """The field may hold a plain value (not only null) instead."""
    default: Settings | None = None

    def kinds(self) -> dict[str, Model]:
        """The kinds of a union by the value of its discriminator."""
        assert self.discriminator is not None
        return {
            value: model
            for model in self.models
            for value in typing.get_args(model.model_fields[self.discriminator].annotation)
        }

    def choose(self, tree: Any) -> Model | None:
        """The model that reads ``tree``; None when its discriminator has no known value."""
        if self.discriminator is None:
            return self.models[0]
        if isinstance(tree, Mapping) and self.discriminator in tree:
            value = tree[self.discriminator]
            return self.kinds().get(value) if isinstance(value, str) else None
        return type(self.default) if self.default is not None else None


def section_of(field: FieldInfo) -> Section | None:
    """The section a field holds; None for a plain value."""
    default = field.default if isinstance(field.default, Settings) else None
    discriminator = field.discriminator if isinstance(field.discriminator, str) else None
    annotation = _bare(field.annotation)
    if typing.get_origin(annotation) is list:
        (item,) = typing.get_args(annotation)
        return Section((item,), listed=True) if _is_settings(item) else None
    options = [_bare(option) for option in typing.get_args(annotation)] if _is_union(annotation) else [annotation]
    models = tuple(option for option in options if _is_settings(option))
    plain = any(not _is_settings(option) and option is not type(None) for option in options)
    return Section(models, discriminator, plain=plain, default=default) if models else None


def keys_of(model: Model, prefix: KeyPath = ()) -> Iterator[tuple[KeyPath, Model, FieldInfo]]:
    """Every key below ``model``, those of all kinds of a union included, with the model that owns it."""
    for name, field in model.model_fields.items():
        path = (*prefix, name)
        yield path, model, field
        section = section_of(field)
        for inner in section.models if section else ():
            yield from keys_of(inner, (*path, 0) if section and section.listed else path)


def nearest(key: str, path: KeyPath, section: Model, root: Model) -> str:
    """What to say about an unknown key: the nearest valid ones, its own section first, or the keys there are."""
    siblings = list(section.model_fields)
    near = [dotted((*path, name)) for name in siblings if _abbreviates(key, name)]
    near += [dotted((*path, name)) for name in difflib.get_close_matches(key, siblings, n=2)]
    if not near:
        elsewhere: dict[str, list[str]] = {}
        for other, _, _ in keys_of(root):
            elsewhere.setdefault(str(other[-1]), []).append(dotted(other))
        names = [key] if key in elsewhere else difflib.get_close_matches(key, elsewhere, n=1)
        near = [place for name in names for place in elsewhere[name]][:3]
    unique = list(dict.fromkeys(near))
    if unique:
        return f"did you mean {' or '.join(unique)}?"
    return f"{dotted(path) or 'the top level'} has: {', '.join(siblings)}"


def type_name(annotation: Any) -> str:
    """A type as people write it: ``integer``, ``one of fixed, stages``, ``list of text``."""
    annotation = _bare(annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return ", ".join(map(str, arguments)) if len(arguments) == 1 else f"one of {', '.join(map(str, arguments))}"
    if _is_union(annotation):
        return " or ".join(type_name(option) for option in arguments)
    if origin is list:
        return f"list of {type_name(arguments[0])}"
    if origin is tuple:
        return f"{len(arguments)} × {type_name(arguments[0])}"
    if origin is dict or annotation is dict:
        return "mapping"
    if _is_settings(annotation):
        return "section"
    return _PLAIN.get(annotation, getattr(annotation, "__name__", str(annotation)))


_PLAIN = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null", Any: "any value"}


def _bare(annotation: Any) -> Any:
    return typing.get_args(annotation)[0] if typing.get_origin(annotation) is typing.Annotated else annotation


def _is_union(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)


def _is_settings(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Settings)


def _abbreviates(key: str, name: str) -> bool:
    """Whether ``key`` is made of the first letters of ``name``'s words: ``lr`` for ``learning_rate``."""
    return "_" in name and key == "".join(word[0] for word in name.split("_"))
