"""Settings that are being put together: the tree so far and who said what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentgym_rl.config.errors import ConfigError
from agentgym_rl.config.source import KeyPath, dotted, parse


@dataclass(slots=True)
class Draft:
    """A file with overrides laid over it. Later stages drop keys from ``tree`` and say so in ``notes``."""

    tree: dict[str, Any] = field(default_factory=dict)
    file: str | None = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    overrides: dict[KeyPath, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path | None, overrides: Iterable[str]) -> Draft:
        """Read the file (None: nothing), then lay each ``a.b.c=VALUE`` over it."""
        draft = cls()
        if path is not None:
            draft._take_file(path)
        for text in overrides:
            draft._take_override(text)
        return draft

    def _take_file(self, path: Path) -> None:
        self.file = str(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            others = sorted(str(other) for other in path.parent.glob("*.yaml"))
            hint = f"; there are {', '.join(others)}" if others else ""
            raise ConfigError(f"{path}: no such file{hint}") from error
        except OSError as error:
            raise ConfigError(f"{path}: not readable: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: not a text file in UTF-8") from error
        tree, self.lines = parse(text, self.file)
        if tree is not None and not isinstance(tree, dict):
            raise ConfigError(f"{path}: settings are sections with keys, not {tree!r}")
        self.tree = tree or {}

    def _take_override(self, text: str) -> None:
        key, equals, value_text = text.partition("=")
        segments = key.strip().split(".")
        if not equals or not all(segments):
            raise ConfigError(f"override {text!r}: write it as key=value, e.g. run.steps=20")
        value, _ = parse(value_text, f"override {text}", one_line=True)
        node: Any = self.tree
        path: KeyPath = ()
        for position, segment in enumerate(segments):
            last = position == len(segments) - 1
            if isinstance(node, list):
                index = next((number for number in range(len(node)) if str(number) == segment), None)
                if index is None:
                    raise ConfigError(f"override {text}: {dotted(path)} has {len(node)} items, so no {segment!r}")
                here: str | int = index
            elif isinstance(node, dict):
                here = segment
            else:
                raise ConfigError(f"override {text}: {dotted(path)} is {node!r}, which has no keys")
            path = (*path, here)
            if last:
                self._refuse_overlap(path, text)
                node[here] = value
            elif isinstance(node, dict) and node.get(segment) is None:
                node[segment] = {}
                node = node[segment]
            else:
                node = node[here]
        self.overrides[path] = text

    def _refuse_overlap(self, path: KeyPath, text: str) -> None:
        """Two overrides of one key, or of a key and its section: one of them would do nothing."""
        for other, earlier in self.overrides.items():
            common = min(len(other), len(path))
            if other[:common] == path[:common]:
                raise ConfigError(f"override {text}: {earlier} sets {dotted(path[:common])} too; keep one of them")

    def override_of(self, path: KeyPath) -> str | None:
        """The override that set ``path`` or a section around it."""
        return next((text for other, text in self.overrides.items() if path[: len(other)] == other), None)

    def overrides_below(self, path: KeyPath) -> list[str]:
        return [text for other, text in self.overrides.items() if other[: len(path)] == path]

    def where(self, path: KeyPath) -> str:
        """Who said it, to begin a message with: ``override a.b=1: `` or ``configs/x.yaml:12: ``."""
        override = self.override_of(path) or next(iter(self.overrides_below(path)), None)
        if override is not None:
            return f"override {override}: "
        if self.file is None:
            return ""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return f"{self.file}:{self.lines[path[:length]]}: "
        return f"{self.file}: "

    def get(self, path: KeyPath) -> Any:
        node: Any = self.tree
        for part in path:
            node = node[part]
        return node

    def inert(self, path: KeyPath, reason: str, cause: KeyPath) -> None:
        """``path`` would do nothing because of what ``cause`` is. An error, or a note where an override made it so."""
        culprit = self.override_of(cause) or next(iter(self.overrides_below(cause)), None)
        mine = self.override_of(path) or next(iter(self.overrides_below(path)), None)
        if mine is None and culprit is not None:
            self.notes.append(f"{self.where(path)}{dotted(path)} dropped: {culprit} leaves it without effect ({reason})")
            del self.get(path[:-1])[path[-1]]
            return
        raise ConfigError(f"{self.where(path)}{dotted(path)} would do nothing: {reason}")
