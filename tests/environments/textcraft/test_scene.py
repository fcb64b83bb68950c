import re
from pathlib import Path

from agentgym_rl.environments.textcraft.recipes import recipe_book
from agentgym_rl.environments.textcraft.scene import scene_of

BOOKSHELF = """\
Crafting commands:
craft 1 book using 1 leather, 3 paper
craft 1 leather using 4 rabbit hide
craft 4 bowl using 3 any planks
craft 3 paper using 3 sugar cane
craft 4 spruce planks using 1 any spruce log
craft 1 bookshelf using 6 any planks, 3 book
craft 1 wooden axe using 3 any planks, 2 stick

Goal: craft bookshelf."""

BY_TEXT = {recipe.text: recipe for recipe in recipe_book().recipes}
GOALS = sorted(recipe_book().goals)


def lines(scene):
    heading, *recipes, blank, goal = scene.text.split("\n")
    assert heading == "Crafting commands:"
    assert blank == ""
    assert goal == f"Goal: craft {scene.goal.item}."
    return recipes


def shown(scene):
    return [BY_TEXT[line] for line in lines(scene)]


def test_the_text_of_a_task():
    """Task ids mean the same for ever, so this text may never change."""
    assert scene_of("bookshelf", 2).text == BOOKSHELF
    assert BOOKSHELF in (Path(__file__).parents[3] / "docs/environments/textcraft.md").read_text()


def test_no_distractors():
    assert sorted(lines(scene_of("oak_boat", 0))) == [
        "craft 1 oak boat using 5 oak planks",
        "craft 4 oak planks using 1 any oak log",
    ]


def test_every_scene():
    for goal in GOALS:
        check_scene(scene_of(goal, 10))


def check_scene(scene):
    book = recipe_book()
    recipes = shown(scene)
    assert len(set(recipes)) == len(recipes)
    # Needed: one recipe for each item of the tree, whose ingredients are base items or made further down.
    made = {step.craft.output for step in scene.tree}
    assert scene.tree[0].craft.output == scene.goal.item
    assert [step.depth for step in scene.tree] == sorted((step.depth for step in scene.tree), reverse=True)
    for step in scene.tree:
        assert all(book.is_base(item) or item in made for item, _ in step.craft.needs)
        assert any(step.craft in book.crafts[recipe] for recipe in recipes)
    # Distractors: at most ten, each sharing an ingredient with a needed recipe.
    needed = [recipe for recipe in recipes if any(step.craft in book.crafts[recipe] for step in scene.tree)]
    assert len(needed) == len(scene.tree)
    assert len(recipes) - len(needed) <= 10
    ingredients = {part.alternatives for recipe in needed for part in recipe.ingredients}
    for recipe in recipes:
        assert recipe in needed or any(part.alternatives in ingredients for part in recipe.ingredients)
    # Every get of a base item that the text names, in every amount, worked out from the text alone.
    gets = set()
    for line in lines(scene):
        for part in line.partition(" using ")[2].split(", "):
            count, name = part.split(" ", 1)
            gets |= {f"get {count} {item}" for item in book.kinds.get(name, (name,)) if book.is_base(item)}
    assert list(scene.gets) == sorted(gets)


def test_fewer_distractors_are_the_first_of_more():
    few, many = set(lines(scene_of("oak_boat", 3))), set(lines(scene_of("oak_boat", 10)))
    assert few < many


def test_lines_are_not_in_order_of_need():
    """The place of the goal's recipe is spread over the list, so that it says nothing."""
    places = []
    for goal in GOALS:
        recipes = lines(scene_of(goal, 10))
        place = next(
            i for i, line in enumerate(recipes) if re.match(rf"craft \d+ {scene_of(goal, 10).goal.item} using", line)
        )
        places.append(place / max(1, len(recipes) - 1))
    assert 0.45 < sum(places) / len(places) < 0.55


def test_free_choices_are_of_one_wood():
    """A lectern takes any slab and any planks: one wood will do."""
    woods = {step.craft.output.rpartition(" ")[0] for step in scene_of("lectern", 0).tree if "planks" in step.craft.output}
    assert len(woods) == 1


def test_the_shallowest_recipe_is_needed():
    """Sticks are made of two bamboo (depth 1), not of planks (depth 2)."""
    assert [(step.craft.text, step.depth) for step in scene_of("oak_fence", 0).tree] == [
        ("craft 3 oak fence using 4 oak planks, 2 stick", 2),
        ("craft 4 oak planks using 1 oak log", 1),
        ("craft 1 stick using 2 bamboo", 1),
    ]
