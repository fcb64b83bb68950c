"""Writes ``docs/reference/settings.md`` from the settings models, so that the page cannot differ from the code.

    python scripts/settings_page.py

``make docs`` runs it.
"""

from __future__ import annotations

from pathlib import Path

from agentgym_rl.config import Explanation, explain
from agentgym_rl.training.settings import TrainSettings

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"

HEAD = """\
# Settings

A run's settings are a YAML file plus dotted overrides: `agentgym-rl train configs/quickstart.yaml run.seed=1`.
An override replaces what it names, whole lists and sections included; its value is YAML. A key that does not exist, a value
of the wrong kind, and a key that nothing would read are errors. `agentgym-rl train --help-settings` prints this page.
"""


def page() -> str:
    """The page as Markdown: a heading a section, a table of its keys."""
    lines = [HEAD]
    for one in explain(TrainSettings):
        if one.section and "." not in one.key:
            lines += [
                f"\n## `{one.key}`\n",
                f"{_markdown(one.text)}\n",
                "| key | type | default | meaning |",
                "|---|---|---|---|",
            ]
        else:
            lines.append(_row(one))
    return "\n".join(lines) + "\n"


def _row(one: Explanation) -> str:
    condition = f" *({one.condition})*" if one.condition else ""
    default = f"`{one.default}`" if one.default else ""
    return f"| `{one.key}` | {_markdown(one.type)} | {_markdown(default)} | {_markdown(one.text)}{condition} |"


def _markdown(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
