"""The recipes of Minecraft 1.16, loaded from the shipped data file, and their concrete crafts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from agentgym_rl.environments.task_set import Split


@dataclass(frozen=True, slots=True)
class Ingredient:
    """``count`` of one of the ``alternatives`` (names of items; the first is the one a player would take)."""

    alternatives: tuple[str, ...]
    count: int

    @property
    def text(self) -> str:
        """``2 oak planks``, ``1 coal or charcoal``, ``2 any planks``."""
        return f"{self.count} {kind_name(self.alternatives)}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """``made`` of ``output`` from the ingredients. Shapes are forgotten."""

    output: str
    made: int
    ingredients: tuple[Ingredient, ...]

    @property
    def text(self) -> str:
        """The line shown: ``craft 4 oak planks using 1 any oak log``."""
        return f"craft {self.made} {self.output} using {', '.join(part.text for part in self.ingredients)}"


@dataclass(frozen=True, slots=True)
class Craft:
    """One way to carry a recipe out: an item chosen for each ingredient."""

    text: str
    """The action: ``craft 4 oak planks using 1 oak log``."""
    output: str
    made: int
    needs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """An item to craft. ``id`` is Minecraft's (``oak_boat``), ``item`` the name shown (``oak boat``)."""

    id: str
    item: str
    depth: int
    split: Split


class RecipeBook:
    """All recipes, indexed. One instance is shared by every world of a process and never changed."""

    def __init__(self, recipes: tuple[Recipe, ...], goals: tuple[Goal, ...]) -> None:
        self.recipes = recipes
        self.goals: Mapping[str, Goal] = {goal.id: goal for goal in goals}
        self.depth: Mapping[str, int] = {goal.item: goal.depth for goal in goals}
        """Depth of each item that can be crafted. Items not in here are fetched."""
        self.items = frozenset(self.depth) | {
            item for recipe in recipes for part in recipe.ingredients for item in part.alternatives
        }
        self.kinds: Mapping[str, tuple[str, ...]] = {
            kind_name(part.alternatives): part.alternatives
            for recipe in recipes
            for part in recipe.ingredients
            if len(part.alternatives) > 1
        }
        """How a choice of items is shown → the items."""
        self.recipes_of: dict[str, list[Recipe]] = {}
        for recipe in recipes:
            self.recipes_of.setdefault(recipe.output, []).append(recipe)

    def is_base(self, item: str) -> bool:
        """Whether an item is fetched: no recipe makes it."""
        return item not in self.depth

    @cached_property
    def crafts(self) -> Mapping[Recipe, tuple[Craft, ...]]:
        """The concrete crafts of each recipe."""
        return {recipe: tuple(_crafts(recipe)) for recipe in self.recipes}

    @cached_property
    def craft_by_needs(self) -> Mapping[tuple[str, frozenset[tuple[str, int]]], Craft]:
        """(output, its exact ingredients) → the craft. No two recipes share both."""
        return {(craft.output, frozenset(craft.needs)): craft for crafts in self.crafts.values() for craft in crafts}


def kind_name(alternatives: tuple[str, ...]) -> str:
    """How a choice is shown: up to three by name, more by what they have in common."""
    if len(alternatives) <= 3:
        return " or ".join(alternatives)
    for ending, name in (("planks", "planks"), ("slab", "wooden slab"), ("wool", "wool")):
        if all(item.endswith(ending) for item in alternatives):
            return f"any {name}"
    return "any log" if len(alternatives) > 4 else f"any {alternatives[0]}"


def _crafts(recipe: Recipe) -> list[Craft]:
    found = []
    for choice in itertools.product(*(part.alternatives for part in recipe.ingredients)):
        needs = tuple((item, part.count) for item, part in zip(choice, recipe.ingredients, strict=True))
        using = ", ".join(f"{count} {item}" for item, count in needs)
        found.append(Craft(f"craft {recipe.made} {recipe.output} using {using}", recipe.output, recipe.made, needs))
    return found


@cache
def recipe_book() -> RecipeBook:
    """The recipe book of the shipped data file."""
    data = json.loads((files(__package__) / "data" / "recipes.json").read_text())
    recipes = tuple(
        Recipe(
            _name(output),
            made,
            tuple(Ingredient(tuple(_name(item) for item in alternatives), count) for alternatives, count in parts),
        )
        for output, made, parts in data["recipes"]
    )
    goals = tuple(Goal(id, _name(id), depth, split) for id, depth, split in data["goals"])
    return RecipeBook(recipes, goals)


def _name(id: str) -> str:
    return id.replace("_", " ")
