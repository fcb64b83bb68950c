from __future__ import annotations

import pytest

from agentgym_rl.environments.protocol import ActionFunction, ActionSchema, Parameter

WORKSHOP: ActionSchema = (
    ActionFunction(
        "get",
        "Fetch an item.",
        (Parameter("count", "integer", "How many"), Parameter("item", "string", "Name")),
        "get {count} {item}",
    ),
    ActionFunction(
        "craft",
        "Carry out a recipe.",
        (
            Parameter("item", "string", "Name"),
            Parameter("ingredients", "string", "What it takes"),
            Parameter("count", "integer", "How many", required=False),
        ),
        "craft {count} {item} using {ingredients}",
    ),
    ActionFunction("inventory", "List what you have."),
    ActionFunction("search", "Look something up.", (Parameter("query", "string", "What"),), "search[{query}]"),
    ActionFunction("press", "Press a key.", (Parameter("key", "string", "Which", enum=("up", "down")),), "press {key}"),
    ActionFunction(
        "set", "Set the heat.", (Parameter("heat", "number", ""), Parameter("fan", "boolean", "")), "set {heat} {fan}"
    ),
)


@pytest.fixture(scope="session")
def workshop() -> ActionSchema:
    return WORKSHOP
