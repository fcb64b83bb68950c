import hashlib
import json
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from agentgym_rl.environments.textcraft.recipes import Ingredient, Recipe, RecipeBook, kind_name, recipe_book

ROOT = Path(__file__).parents[3]
DATA = files("agentgym_rl.environments.textcraft") / "data" / "recipes.json"


def made(item):
    return sorted(recipe.text for recipe in recipe_book().recipes_of[item])


def test_some_recipes_known_from_the_game():
    assert made("oak boat") == ["craft 1 oak boat using 5 oak planks"]
    assert made("oak planks") == ["craft 4 oak planks using 1 any oak log"]
    assert made("stick") == ["craft 1 stick using 2 bamboo", "craft 4 stick using 2 any planks"]
    assert made("torch") == ["craft 4 torch using 1 charcoal or coal, 1 stick"]
    assert made("barrel") == ["craft 1 barrel using 6 any planks, 2 any wooden slab"]
    assert made("painting") == ["craft 1 painting using 1 any wool, 8 stick"]
    assert made("iron ingot") == ["craft 1 iron ingot using 9 iron nugget"]
    assert made("iron block") == ["craft 1 iron block using 9 iron ingot"]


@pytest.mark.parametrize("item", ["iron nugget", "gold nugget", "honey bottle", "diamond", "oak log", "coal", "redstone"])
def test_base_items_have_no_recipe(item):
    assert recipe_book().is_base(item)
    assert item not in recipe_book().recipes_of


def test_goals_by_depth():
    assert Counter(goal.depth for goal in recipe_book().goals.values()) == {1: 123, 2: 294, 3: 120, 4: 11}


def test_the_deepest_goals_are_those_of_the_original():
    slabs = {f"polished_{stone}_{shape}" for stone in ("andesite", "granite") for shape in ("slab", "stairs")}
    banners = {f"{colour}_banner" for colour in ("cyan", "gray", "lime", "purple")}
    deepest = {goal.id for goal in recipe_book().goals.values() if goal.depth == 4}
    assert deepest == slabs | banners | {"hopper_minecart", "lectern", "lodestone"}


def test_depth_is_one_more_than_the_deepest_ingredient_of_the_shallowest_recipe():
    book = recipe_book()

    def depth(recipe):
        return 1 + max(min(book.depth.get(item, 0) for item in part.alternatives) for part in recipe.ingredients)

    for item, recipes in book.recipes_of.items():
        assert book.depth[item] == min(map(depth, recipes)), item


def test_every_goal_is_an_item_with_a_recipe_and_the_other_way_round():
    book = recipe_book()
    assert {goal.item for goal in book.goals.values()} == set(book.recipes_of) == set(book.depth)


def test_no_two_recipes_share_output_and_ingredients():
    book = recipe_book()
    assert len(book.craft_by_needs) == sum(map(len, book.crafts.values())) == 1180


def test_no_recipe_names_an_item_twice():
    for crafts in recipe_book().crafts.values():
        for craft in crafts:
            assert len(dict(craft.needs)) == len(craft.needs), craft


def test_names_of_kinds():
    assert kind_name(("coal",)) == "coal"
    assert kind_name(("sand", "red sand")) == "sand or red sand"
    assert Ingredient(("oak planks",), 2).text == "2 oak planks"
    kinds = {name for name in recipe_book().kinds if name.startswith("any ")}
    woods = ("acacia", "birch", "dark oak", "jungle", "oak", "spruce")
    assert kinds == {"any planks", "any wooden slab", "any wool", "any log", "any crimson stem", "any warped stem"} | {
        f"any {wood} log" for wood in woods
    }


def test_a_kind_has_one_name_and_a_name_one_kind():
    book = recipe_book()
    sets = {part.alternatives for recipe in book.recipes for part in recipe.ingredients if len(part.alternatives) > 1}
    assert sorted(sets) == sorted(book.kinds.values())


def test_concrete_crafts_choose_one_item_for_each_ingredient():
    recipe = Recipe("x", 2, (Ingredient(("a", "b"), 1), Ingredient(("c",), 3)))
    crafts = RecipeBook((recipe,), ()).crafts[recipe]
    assert [craft.text for craft in crafts] == ["craft 2 x using 1 a, 3 c", "craft 2 x using 1 b, 3 c"]


def test_the_data_file_is_the_one_that_task_ids_stand_for():
    """Tasks mean the same for ever: a changed file is a new world, under a new id."""
    digest = hashlib.sha256(DATA.read_bytes()).hexdigest()
    assert digest == "9ef2371d6f6250845ae1c690b0de4e733a6af0e74f8d27c71806ecc97183209b"


def test_the_script_derives_from_variants_what_is_shipped_in_kind(tmp_path):
    """A miniature of the package's files through the committed script: folding, unpacking, nuggets, depths."""
    items = ["oak_log", "birch_log", "oak_planks", "birch_planks", "stick", "iron_nugget", "iron_ingot", "iron_block"]
    number = {name: place for place, name in enumerate(items)}

    def shaped(output, count, *rows):
        return {
            "result": {"id": number[output], "count": count},
            "inShape": [[None if cell is None else number[cell] for cell in row] for row in rows],
        }

    recipes = [
        {"result": {"id": number["oak_planks"], "count": 4}, "ingredients": [number["oak_log"]]},
        {"result": {"id": number["birch_planks"], "count": 4}, "ingredients": [number["birch_log"]]},
        shaped("stick", 4, ["oak_planks"], ["oak_planks"]),
        shaped("stick", 4, ["birch_planks", None], ["birch_planks", None]),
        {"result": {"id": number["iron_nugget"], "count": 9}, "ingredients": [number["iron_ingot"]]},
        {"result": {"id": number["iron_ingot"], "count": 9}, "ingredients": [number["iron_block"]]},
        shaped("iron_ingot", 1, *[["iron_nugget"] * 3] * 3),
        shaped("iron_block", 1, *[["iron_ingot"] * 3] * 3),
    ]
    (tmp_path / "items.json").write_text(json.dumps([{"id": place, "name": name} for name, place in number.items()]))
    (tmp_path / "recipes.json").write_text(json.dumps({"any": recipes}))
    program = (
        "import sys, runpy, pathlib; module = runpy.run_path(sys.argv[1]);"
        "module['main'].__globals__['OUTPUT'] = pathlib.Path(sys.argv[3]); module['main'](pathlib.Path(sys.argv[2]))"
    )
    script = ROOT / "scripts" / "derive_textcraft_recipes.py"
    texts = []
    for hash_seed in ("1", "2"):
        output = tmp_path / f"{hash_seed}.json"
        command = [sys.executable, "-c", program, str(script), str(tmp_path), str(output)]
        subprocess.run(command, check=True, capture_output=True, env={"PYTHONHASHSEED": hash_seed})
        texts.append(output.read_text())
    assert texts[0] == texts[1]
    data = json.loads(texts[0])
    assert data["recipes"] == [
        ["birch_planks", 4, [[["birch_log"], 1]]],
        ["iron_block", 1, [[["iron_ingot"], 9]]],
        ["iron_ingot", 1, [[["iron_nugget"], 9]]],
        ["oak_planks", 4, [[["oak_log"], 1]]],
        ["stick", 4, [[["birch_planks", "oak_planks"], 2]]],
    ]
    assert {goal: depth for goal, depth, _ in data["goals"]} == {
        "birch_planks": 1,
        "iron_ingot": 1,
        "oak_planks": 1,
        "iron_block": 2,
        "stick": 2,
    }
