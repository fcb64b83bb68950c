"""``agentgym-rl envs``: which worlds there are, and what one is like."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agentgym_rl.cli.console import output, print_json


def command(
    environment: Annotated[str | None, typer.Argument(help="Show this one in detail.", metavar="[ENV]")] = None,
    settings: Annotated[list[str] | None, typer.Argument(help="Its settings, KEY=VALUE.", metavar="[KEY=VALUE]...")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the environments, or show one: splits, instructions, actions, a first observation.

    Example: agentgym-rl envs textcraft
    """
    content = _describe(environment, settings or []) if environment else _list()
    if as_json:
        print_json(content)
    elif environment:
        _show(content)
    else:
        _show_list(content)


def _list() -> dict[str, Any]:
    from agentgym_rl.environments.errors import MissingExtra
    from agentgym_rl.environments.registry import registered, summary

    found = []
    for name in registered():
        try:
            found.append({"id": name, "summary": summary(name), "missing": None})
        except MissingExtra as error:
            found.append({"id": name, "summary": None, "missing": str(error)})
    return {"environments": found}


def _show_list(content: dict[str, Any]) -> None:
    console = output()
    width = max((len(one["id"]) for one in content["environments"]), default=0)
    for one in content["environments"]:
        console.print(f"{one['id']:<{width}}  {one['summary'] or one['missing']}")
    console.print("\nMore about one: agentgym-rl envs NAME    Play it: agentgym-rl play NAME", style="dim")


def _describe(name: str, settings: list[str]) -> dict[str, Any]:
    from agentgym_rl.cli.world import parse_settings, refusals_are_bad_use
    from agentgym_rl.environments.registry import environment_class, make, tasks
    from agentgym_rl.environments.task_set import SPLITS

    options = parse_settings(settings)
    world = environment_class(name)
    splits: dict[str, Any] = {}
    with refusals_are_bad_use():
        sets = {split: tasks(name, split, **options) for split in SPLITS}
        environment = make(name, **options)
    for split, tasks_of_split in sets.items():
        counts = dict.fromkeys(tasks_of_split.categories, 0)
        for task in tasks_of_split:
            counts[task.category] += 1
        splits[split] = {"tasks": len(tasks_of_split), "categories": counts}
    try:
        task = next(tasks_of_split[0] for tasks_of_split in sets.values() if len(tasks_of_split))
        observation, _ = environment.reset(seed=0, options={"task": task})
        admissible = environment.admissible_actions()
        return {
            "id": name,
            "summary": world.summary,
            "deterministic": world.deterministic,
            "extra": world.extra,
            "splits": splits,
            "instructions": environment.instructions,
            "actions": [
                {
                    "name": function.name,
                    "description": function.description,
                    "template": function.template or function.name,
                    "parameters": {parameter.name: parameter.description for parameter in function.parameters},
                }
                for function in environment.action_schema
            ],
            "players": ["random", *(f"shortcut:{shortcut}" for shortcut in environment.shortcuts())]
            + (["expert"] if environment.expert_action() is not None else []),
            "example": {
                "task": task.id,
                "observation": observation if isinstance(observation, str) else str(observation["text"]),
                "admissible_actions": admissible,
            },
        }
    finally:
        environment.close()


def _show(content: dict[str, Any]) -> None:
    from rich.table import Table

    from agentgym_rl.evaluation.transcript import printable

    console = output()
    console.print(f"{content['id']}: {content['summary']}", style="bold")
    repeats = "the same on every machine" if content["deterministic"] else "not repeatable: the world is live"
    console.print(f"{repeats}; players without a model: {', '.join(content['players'])}\n")
    categories = list(dict.fromkeys(name for split in content["splits"].values() for name in split["categories"]))
    table = Table("tasks", "all", *categories, box=None, pad_edge=False)
    for split, counts in content["splits"].items():
        table.add_row(split, str(counts["tasks"]), *(str(counts["categories"].get(name, 0)) for name in categories))
    console.print(table)
    for title, text in (
        ("Instructions", content["instructions"]),
        ("Actions", "\n".join(f"{one['template']}   {one['description']}" for one in content["actions"])),
        (f"First observation of {content['example']['task']}", content["example"]["observation"]),
    ):
        console.print(f"\n{title}", style="bold")
        console.print(printable(text))
    admissible = content["example"]["admissible_actions"]
    if admissible is not None:
        console.print(f"\nAdmissible there ({len(admissible)})", style="bold")
        console.print(printable(", ".join(admissible[:12]) + (", …" if len(admissible) > 12 else "")))
