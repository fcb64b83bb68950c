"""TextCraft: craft a Minecraft item from its recipes, in text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from agentgym_rl.environments.protocol import ActionFunction, Environment, Info, Parameter
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.environments.textcraft.actions import CraftCommand, Get, LookAtInventory, read_action
from agentgym_rl.environments.textcraft.oracle import next_action
from agentgym_rl.environments.textcraft.recipes import Craft, recipe_book
from agentgym_rl.environments.textcraft.scene import scene_of, task_id
from agentgym_rl.environments.textcraft.shortcuts import craft_any_else_get, craft_goal_else_get

INVENTORY = "inventory"


LEAST = {"distractors": 0, "scenes": 1}
"""The options, and the least that each may be."""


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse values of ``distractors`` or ``scenes`` that are no whole numbers or too small. Raises ValueError."""
    for name, least in LEAST.items():
        value = options.get(name, least)
        if type(value) is not int or value < least:
            raise ValueError(f"environment 'textcraft': {name} must be a whole number, {least} or more, not {value!r}")


class TextCraft(Environment):
    """Actions ``get N item``, ``craft N item using N item, ...``, ``inventory``; reward 1 when the goal has been crafted."""

    id = "textcraft"
    summary = "Craft a Minecraft item from its real recipes; 548 goals at crafting depth 1 to 4."
    instructions = (
        "Craft the goal item. Actions: 'get N item' fetches items that have no recipe; "
        "'craft N item using N item, N item' carries out one crafting command exactly once, with its ingredients in your "
        "inventory; 'inventory' lists what you have. 'any planks' stands for any kind, such as oak planks: name yours."
    )
    action_schema = (
        ActionFunction(
            "get",
            "Fetch an item that cannot be crafted.",
            (Parameter("count", "integer", "How many"), Parameter("item", "string", "Name of the item")),
            "get {count} {item}",
        ),
        ActionFunction(
            "craft",
            "Carry out one crafting command; its ingredients must be in the inventory.",
            (
                Parameter("item", "string", "Name of the item to craft"),
                Parameter("ingredients", "string", "Amounts and names, as in '2 oak planks, 1 stick'"),
                Parameter("count", "integer", "How many one command makes", required=False),
            ),
            "craft {count} {item} using {ingredients}",
        ),
        ActionFunction("inventory", "List what you have."),
    )

    def __init__(self, distractors: int = 10, scenes: int = 1) -> None:
        """Make the world.

        ``distractors``: at most so many recipes that are not needed are shown. ``scenes``: each goal of the train split is so many
        tasks, which differ in distractors, alternatives and order; the other splits stay as they are.
        """
        super().__init__(distractors=distractors, scenes=scenes)
        check_options(self.settings)
        self._distractors = distractors

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The goals of a split by depth, then name. Categories ``depth-1`` to ``depth-4``."""
        check_options(settings)
        return _task_set(split, settings.get("scenes", 1) if split == "train" else 1)

    def _begin(self, task: Task) -> tuple[str, Info]:
        self._scene = scene_of(task.id, self._distractors)
        self._inventory: dict[str, int] = {}
        self._executable: set[int] = set()
        self._done: set[str] = set()
        self._success = False
        return self._scene.text, self._info(understood=True)

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        command = read_action(action)
        match command:
            case Get():
                observation = self._get(command)
            case CraftCommand():
                observation = self._craft(command)
            case LookAtInventory():
                observation = self._list()
            case None:
                observation = (
                    f"Could not execute {_short(action)}. Actions: get N item; craft N item using N item, N item; inventory."
                )
        self._done.add(action)
        reward = float(self._success)
        return observation, reward, self._success, False, self._info(understood=command is not None)

    def _get(self, command: Get) -> str:
        item = command.item
        if hint := _no_item(item):
            return f"Could not find {item}: {hint}."
        if not recipe_book().is_base(item):
            return f"Could not find {item}: it has to be crafted."
        if command.count == 0:
            return f"Could not get 0 {item}: the amount must be 1 or more."
        self._change(item, command.count)
        return f"Got {command.count} {item}"

    def _craft(self, command: CraftCommand) -> str:
        item = command.item
        using = ", ".join(f"{count} {name}" for name, count in command.needs)
        craft = recipe_book().craft_by_needs.get((item, frozenset(command.needs)))
        if craft is None:
            hint = next(filter(None, map(_no_item, (item, *dict(command.needs)))), None)
            return f"Could not find a valid recipe for {item} using {using}{f': {hint}' if hint else ''}."
        short = [f"{count} {name} (you have {self._inventory.get(name, 0)})" for name, count in self._lacks(craft)]
        if short:
            return f"Could not find enough items to craft {item}: needs {', '.join(short)}."
        for name, count in craft.needs:
            self._change(name, -count)
        self._change(item, craft.made)
        self._success = item == self._scene.goal.item
        return f"Crafted {craft.made} {item}"

    def _lacks(self, craft: Craft) -> list[tuple[str, int]]:
        return [(item, count) for item, count in craft.needs if self._inventory.get(item, 0) < count]

    def _list(self) -> str:
        if not self._inventory:
            return "Inventory: You are not carrying anything."
        return "Inventory: " + " ".join(f"[{item}] ({count})" for item, count in sorted(self._inventory.items()))

    def _change(self, item: str, count: int) -> None:
        """Changes the inventory and, with it, which of the shown crafts can be executed."""
        held = self._inventory.get(item, 0) + count
        if held:
            self._inventory[item] = held
        else:
            del self._inventory[item]
        for place in self._scene.uses.get(item, ()):
            if self._lacks(self._scene.crafts[place]):
                self._executable.discard(place)
            else:
                self._executable.add(place)

    def _info(self, *, understood: bool) -> Info:
        held = ";".join(f"{item}={count}" for item, count in sorted(self._inventory.items()))
        key = hashlib.blake2b(f"{self._scene.goal.id}|{held}".encode(), digest_size=16).hexdigest()
        return {"score": float(self._success), "success": self._success, "understood": understood, "state_key": key}

    def admissible_actions(self) -> list[str]:
        """Executable crafts of the shown recipes, every ``get`` they name, ``inventory``; sorted. Empty after the end."""
        if not self.running:
            return []
        return [*self._executable_crafts(), *self._scene.gets, INVENTORY]

    def _executable_crafts(self) -> list[str]:
        return [self._scene.crafts[place].text for place in sorted(self._executable)]

    def expert_action(self) -> str | None:
        """The next action of a plan made afresh from the inventory; solves every task from every state."""
        return next_action(self._scene, self._inventory) if self.running else None

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """``craft_goal_else_get`` and ``craft_any_else_get``, see :mod:`agentgym_rl.environments.textcraft.shortcuts`."""
        return {
            "craft_goal_else_get": lambda random: craft_goal_else_get(*self._offer(), random),
            "craft_any_else_get": lambda random: craft_any_else_get(*self._offer(), random),
        }

    def _offer(self) -> tuple[str, list[str], tuple[str, ...], set[str]]:
        return self._scene.goal.item, self._executable_crafts(), self._scene.gets, self._done


def _no_item(name: str) -> str | None:
    """Why ``name`` is no item; None when it is one."""
    book = recipe_book()
    if name in book.items:
        return None
    if name in book.kinds:
        return f"{name} stands for several items, name one, such as {book.kinds[name][0]}"
    return f"there is no {name}"


def _short(action: str) -> str:
    return repr(action if len(action) <= 60 else f"{action[:60]}…")


@cache
def _task_set(split: Split, scenes: int) -> TaskSet:
    return TaskSet(
        Task(task_id(goal, scene), TextCraft.id, goal.split, f"depth-{goal.depth}", content=goal.item)
        for goal in recipe_book().goals.values()
        if goal.split == split
        for scene in range(1, scenes + 1)
    )
