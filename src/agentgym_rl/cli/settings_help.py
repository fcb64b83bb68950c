"""Prints settings for people: what each key means, and what a dry run found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from agentgym_rl.config import Settings, explain


def show_settings(model: type[Settings], console: Console) -> None:
    """Every key with type, default, condition and explanation."""
    for one in explain(model):
        facts = [one.type, *([f"default {one.default}"] if one.default else []), *([one.condition] if one.condition else [])]
        line = Text(one.key, style="bold")
        line.append(f"  {'; '.join(facts)}", style="not bold dim")
        if one.section and "." not in one.key:
            console.print()
        console.print(line)
        if one.text:
            console.print(Padding(one.text.replace("``", "`"), (0, 0, 0, 4)))


def show_findings(findings: Mapping[str, Any], console: Console, indent: str = "") -> None:
    """Nested facts, a line each."""
    for key, value in findings.items():
        name = key.replace("_", " ")
        if isinstance(value, Mapping):
            console.print(f"{indent}{name}:", style="bold")
            show_findings(value, console, indent + "  ")
        elif isinstance(value, int) and key.endswith("_bytes"):
            console.print(f"{indent}{name.removesuffix(' bytes')}: {value / 2**30:.2f} GiB")
        elif isinstance(value, list):
            console.print(f"{indent}{name}: {', '.join(map(str, value)) or '–'}")
        elif type(value) is int:
            console.print(f"{indent}{name}: {value:,}")
        else:
            console.print(f"{indent}{name}: {value}")
