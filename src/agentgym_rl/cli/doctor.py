"""``agentgym-rl doctor``: what this machine has, which extras are missing, what each needs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentgym_rl.cli.console import output, print_json


def command(
    topic: Annotated[str | None, typer.Argument(help="'web': check WebArena's sites.", metavar="[web]")] = None,
    settings: Annotated[
        list[str] | None, typer.Argument(help="Settings of webarena, KEY=VALUE.", metavar="[KEY=VALUE]...")
    ] = None,
    install: Annotated[bool, typer.Option("--install", help="web: install webarena-verified, for itself.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show what this machine has, which extras are missing, and what each needs. With 'web': check WebArena's sites by name.

    Example: agentgym-rl doctor, or agentgym-rl doctor web
    """
    if topic == "web":
        from agentgym_rl.cli.doctor_web import check_web

        raise typer.Exit(check_web(settings or [], install=install, as_json=as_json))
    if topic is not None or install:
        raise typer.BadParameter(f"there is no topic {topic!r}; known: web" if topic else "--install goes with: doctor web")
    from agentgym_rl.cli.machine import describe

    content = describe()
    if as_json:
        print_json(content)
    else:
        _show(content)


def _show(content: dict[str, Any]) -> None:
    from rich.table import Table

    from agentgym_rl.environments.sciworld.java import WAY_OUT as JAVA_WAY_OUT
    from agentgym_rl.environments.web.browser.find import WAY_OUT

    not_found = {"chromium": f"not found: {WAY_OUT}", "java": f"not found, sciworld needs it: {JAVA_WAY_OUT}"}
    console = output()
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_row("Python", f"{content['python']} on {content['system']}")
    facts.add_row("cores", str(content["cores"]))
    facts.add_row("memory", f"{content['memory_bytes'] / 2**30:.1f} GiB")
    facts.add_row("disk", f"{content['disk_free_bytes'] / 2**30:.1f} GiB free here")
    facts.add_row("torch", _torch(content["torch"]))
    for name, program in content["programs"].items():
        facts.add_row(name, f"{program['version']} ({program['path']})" if program else not_found.get(name, "not found"))
    cache, (name, there) = content["models"]["cache"], list(content["models"].items())[1]
    facts.add_row("models", f"{name} {'ready' if there else 'not fetched yet: the first training does it'}, in {cache}")
    facts.add_row("searchqa", _question_sets(content["searchqa"]))
    console.print(facts)
    console.print()
    extras = Table("extra", "for", "state", box=None, pad_edge=False)
    for extra in content["extras"]:
        state = "installed" if not extra["missing"] else f"needs {', '.join(extra['missing'])}: {extra['install']}"
        extras.add_row(extra["name"], extra["purpose"], state)
    console.print(extras)


def _question_sets(content: dict[str, Any]) -> str:
    there = [name for name, files in content["sets"].items() if files]
    missing = [name for name, files in content["sets"].items() if not files]
    found = f"7 of 7 sets in {content['folder']}"
    if missing:
        have = f" ({', '.join(there)})" if there else ""
        found = f"{len(there)} of 7 sets{have}: put files of {', '.join(missing)} into {content['folder']}/SET"
    return f"the Factbook's questions; {found}"


def _torch(torch: dict[str, Any] | None) -> str:
    if torch is None:
        return "not installed: pip install 'agentgym-rl[train]'"
    device = ", ".join(torch["cuda"]) or ("Apple MPS" if torch["mps"] else "CPU only")
    precision = "bfloat16 is fast" if torch["fast_bfloat16"] else "computes in float32"
    return f"{torch['version']}, {device}, {torch['threads']} threads, {precision}"
