"""The pages: links that lead somewhere, twins in step, commands and code that work."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
import yaml
from markdown.extensions.toc import slugify

from agentgym_rl.cli.app import app
from agentgym_rl.config import load
from agentgym_rl.records.trajectory import Ending, Segment, Trajectory, Turn
from agentgym_rl.training.advantages.settings import Estimator
from agentgym_rl.training.algorithms.policies import PolicyLoss
from agentgym_rl.training.api import dry_run
from agentgym_rl.training.callbacks import Callback
from agentgym_rl.training.settings import TrainSettings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MADE = {ROOT / "docs/reference/settings.md": "make docs"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
INLINE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return FENCE.sub("", text_of(page))


def anchors(page: Path) -> set[str]:
    return {slugify(re.sub(r"[`*]|\[|\]\([^)]*\)", "", title), "-") for _, title in HEADING.findall(prose(page))}


def commands(program: str) -> list[str]:
    """Command lines of ``program`` in blocks without a language and in inline code, without prompts and comments."""
    found: list[str] = []
    for page in PAGES:
        blocks = [text for language, text in FENCE.findall(text_of(page)) if not language]
        lines = [line.removeprefix("$ ") for text in blocks for line in text.splitlines()]
        found += [line for line in [*lines, *INLINE.findall(prose(page))] if line.startswith(f"{program} ")]
    return list(dict.fromkeys(shlex.join(shlex.split(line, comments=True)) for line in found if "…" not in line))


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_internal_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if there in MADE:
            continue
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_readme_twins_are_in_step() -> None:
    english, chinese = ROOT / "README.md", ROOT / "README.zh-CN.md"
    assert [level for level, _ in HEADING.findall(prose(english))] == [level for level, _ in HEADING.findall(prose(chinese))]
    assert FENCE.findall(text_of(english)) == FENCE.findall(text_of(chinese))
    links = [
        Counter(target for target in LINK.findall(prose(page)) if not target.startswith("README"))
        for page in (english, chinese)
    ]
    assert links[0] == links[1]
    assert text_of(chinese).count("|") == text_of(english).count("|")


def test_every_page_is_in_the_navigation() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def leaves(node: Any) -> list[str]:
        if isinstance(node, str):
            return [node]
        return [leaf for child in (node.values() if isinstance(node, dict) else node) for leaf in leaves(child)]

    docs = ROOT / "docs"
    there = {str(page.relative_to(docs)) for page in docs.rglob("*.md")} | {"reference/settings.md"}
    assert sorted(leaves(site["nav"])) == sorted(there)


@pytest.mark.parametrize("line", commands("agentgym-rl"))
def test_commands_parse(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    if name.startswith("-"):
        return
    command: Any = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    if not {"--help", "--help-settings"} & set(arguments):
        command.make_context(name, list(arguments))


TRAININGS = [line for line in commands("agentgym-rl") if line.startswith("agentgym-rl train configs/")]


@pytest.mark.parametrize("line", TRAININGS)
def test_trainings_would_start(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT)
    config, *overrides = [word for word in shlex.split(line)[2:] if not word.startswith("--")]
    dry_run(load(config, overrides, TrainSettings).settings)


@pytest.mark.parametrize("line", commands("make"))
def test_targets_exist(line: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for word in shlex.split(line)[1:]:
        assert "=" in word or word in targets


@pytest.mark.parametrize("line", commands("python"))
def test_scripts_exist(line: str) -> None:
    assert (ROOT / shlex.split(line)[1]).is_file()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_compiles_and_imports(page: Path) -> None:
    for language, text in FENCE.findall(text_of(page)):
        if language != "python":
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("agentgym_rl"):
                module = importlib.import_module(node.module)
                for name in node.names:
                    assert hasattr(module, name.name), f"{node.module} has no {name.name}"


def test_the_example_on_the_page_is_the_one_that_is_tested() -> None:
    code = (ROOT / "examples/courier.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in text_of(ROOT / "docs/how-to/own-environment.md")
    assert len(code.splitlines()) == 60


def test_the_callback_on_the_page_is_the_one_that_is_tested() -> None:
    page = ROOT / "docs/how-to/callbacks.md"
    watch = next(text for language, text in FENCE.findall(text_of(page)) if language == "python")
    assert watch in (ROOT / "examples/watch.py").read_text(encoding="utf-8")
    for method in (name for name in vars(Callback) if name.startswith("on_")):
        assert f"`{method}(" in text_of(page)


def test_the_algorithm_on_the_page_is_the_one_that_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs/how-to/add-an-algorithm.md"
    whole, proof = (text for language, text in FENCE.findall(text_of(page)) if language == "python")
    assert whole == (ROOT / "examples/quantile.py").read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(ROOT)
    exec(compile(proof, str(page), "exec"), {})
    for kind in (Estimator, PolicyLoss):
        for field in fields(kind):
            assert field.name == "settings" or f"`{field.name}=" in text_of(page), field.name


def test_every_field_of_an_episode_is_explained() -> None:
    page = text_of(ROOT / "docs/reference/run-folder.md")
    for kind in (Trajectory, Turn, Segment):
        for field in fields(kind):
            assert f"`{field.name}`" in page, field.name
    for ending in get_args(Ending):
        assert f"`{ending}`" in page
        assert f"`{ending}`" in text_of(ROOT / "docs/reference/failures.md")


def test_messages_to_look_up_are_those_that_are_said() -> None:
    """What the first column of the tables of errors quotes, up to what a message fills in, is in the code."""
    sources = "".join(text_of(path) for path in [*(ROOT / "src").rglob("*.py"), ROOT / "Makefile"])
    said = re.sub(r'"\s*\n\s*f?"', "", sources)
    page = prose(ROOT / "docs/how-to/troubleshooting.md")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ") and not line.startswith("| what")]
    quoted = [text for row in rows for text in INLINE.findall(row) if "nvidia" not in text and text != "out of memory"]
    assert len(quoted) > 25
    for text in quoted:
        for piece in re.split("…|NAME|NUMBER", text):
            assert piece.strip(" :;'`?[]") in said, text
