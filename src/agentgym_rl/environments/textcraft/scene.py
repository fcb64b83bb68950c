"""What is shown for a goal: the recipes that lead to it, distractors among them, and what they offer to do.

All choices are made by SHA-256 of the task's id, so a task is the same text on every machine and hash seed. A goal may have
several scenes, each a task of its own: ``oak_boat``, ``oak_boat~2``, ``oak_boat~3`` differ in distractors, alternatives and order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from agentgym_rl.environments.textcraft.recipes import Craft, Goal, Recipe, RecipeBook, recipe_book


@dataclass(frozen=True, slots=True)
class Step:
    """How the oracle makes one item: a craft and the depth of what it makes."""

    craft: Craft
    depth: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A goal with its recipes. Shared by all episodes of the task and never changed."""

    goal: Goal
    text: str
    """The first observation."""
    tree: tuple[Step, ...]
    """The needed crafts, deepest first: each comes before those that make its ingredients."""
    gets: tuple[str, ...]
    """Every ``get`` of a base item that the shown recipes name, in every amount they use."""
    amounts: Mapping[str, tuple[int, ...]]
    """The amounts of each base item in :attr:`gets`, ascending."""
    crafts: tuple[Craft, ...]
    """Every craft of the shown recipes, sorted by text."""
    uses: Mapping[str, tuple[int, ...]]
    """Item → positions in :attr:`crafts` of those that need it."""


def task_id(goal: Goal, scene: int) -> str:
    """The id of a goal's scene, counted from 1."""
    return goal.id if scene == 1 else f"{goal.id}~{scene}"


@lru_cache(maxsize=4096)
def scene_of(task_id: str, distractors: int) -> Scene:
    """The scene of a task with up to ``distractors`` recipes that are not needed."""
    book = recipe_book()
    goal = book.goals[task_id.partition("~")[0]]
    needed, tree = _tree(book, goal, task_id)
    shown = sorted(
        [*needed, *_distractors(book, task_id, needed, distractors)], key=lambda recipe: _rank(task_id, "line", recipe.text)
    )
    lines = "\n".join(recipe.text for recipe in shown)
    amounts = _amounts(book, shown)
    crafts = tuple(sorted((craft for recipe in shown for craft in book.crafts[recipe]), key=lambda craft: craft.text))
    uses: dict[str, list[int]] = {}
    for place, craft in enumerate(crafts):
        for item, _ in craft.needs:
            uses.setdefault(item, []).append(place)
    return Scene(
        goal=goal,
        text=f"Crafting commands:\n{lines}\n\nGoal: craft {goal.item}.",
        tree=tree,
        gets=tuple(sorted(f"get {amount} {item}" for item, found in amounts.items() for amount in found)),
        amounts=amounts,
        crafts=crafts,
        uses={item: tuple(places) for item, places in uses.items()},
    )


def _tree(book: RecipeBook, goal: Goal, task_id: str) -> tuple[list[Recipe], tuple[Step, ...]]:
    """One recipe for the goal and for each crafted ingredient below it, deepest first."""
    needed: list[Recipe] = []
    steps: list[Step] = []
    waiting = {goal.item}
    known = {goal.item}
    while waiting:
        item = min(waiting, key=lambda item: (-book.depth[item], item))
        waiting.remove(item)
        recipe = _recipe(book, item)
        chosen = {part: _choice(book, task_id, part.alternatives) for part in recipe.ingredients}
        fresh = {item for item in chosen.values() if not book.is_base(item)} - known
        known |= fresh
        waiting |= fresh
        needs = tuple((chosen[part], part.count) for part in recipe.ingredients)
        craft = next(craft for craft in book.crafts[recipe] if craft.needs == needs)
        needed.append(recipe)
        steps.append(Step(craft, book.depth[item]))
    return needed, tuple(steps)


def _recipe(book: RecipeBook, item: str) -> Recipe:
    """The shallowest recipe; among equals the one of fewest ingredients, then the first."""

    def cost(recipe: Recipe) -> tuple[int, int, int]:
        depth = max(min(book.depth.get(item, 0) for item in part.alternatives) for part in recipe.ingredients)
        return depth, len(recipe.ingredients), sum(part.count for part in recipe.ingredients)

    return min(book.recipes_of[item], key=cost)


def _choice(book: RecipeBook, task_id: str, alternatives: tuple[str, ...]) -> str:
    """The alternative to make: the first of those that are fetched; else a shallowest one, drawn for this task.

    Drawn by all but the last word, so that slabs and planks that are free to choose are of one wood.
    """
    least = min(book.depth.get(item, 0) for item in alternatives)
    shallowest = [item for item in alternatives if book.depth.get(item, 0) == least]
    return (
        shallowest[0] if least == 0 else min(shallowest, key=lambda item: _rank(task_id, "choice", item.rpartition(" ")[0]))
    )


def _distractors(book: RecipeBook, task_id: str, needed: list[Recipe], count: int) -> list[Recipe]:
    """Recipes that are not needed but share an ingredient, as it is shown, with one that is."""
    shared = {part.alternatives for recipe in needed for part in recipe.ingredients}
    rest = [
        recipe
        for recipe in book.recipes
        if recipe not in needed and any(part.alternatives in shared for part in recipe.ingredients)
    ]
    return sorted(rest, key=lambda recipe: _rank(task_id, "distractor", recipe.text))[:count]


def _amounts(book: RecipeBook, shown: Iterable[Recipe]) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for recipe in shown:
        for part in recipe.ingredients:
            for item in part.alternatives:
                if book.is_base(item):
                    found.setdefault(item, set()).add(part.count)
    return {item: tuple(sorted(amounts)) for item, amounts in found.items()}


def _rank(task_id: str, purpose: str, text: str) -> bytes:
    return hashlib.sha256(f"textcraft/{task_id}/{purpose}/{text}".encode()).digest()
