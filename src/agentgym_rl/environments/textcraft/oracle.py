"""The oracle: what to do next towards the goal from any inventory."""

from __future__ import annotations

from collections.abc import Mapping

from agentgym_rl.environments.textcraft.scene import Scene


def next_action(scene: Scene, inventory: Mapping[str, int]) -> str:
    """The next action of a plan made afresh from ``inventory``.

    The demand for every item of the tree is summed from the goal down, what is held is subtracted, and whole batches are
    counted once for all consumers; so nothing is made twice and surplus is used. Fetching comes first, then crafting from
    the lowest depth up. Every action is admissible: of the amounts on offer the least that suffices is fetched, or the
    largest, several times.
    """
    demand = {scene.goal.item: inventory.get(scene.goal.item, 0) + 1}
    action = ""
    for step in scene.tree:
        missing = demand.get(step.craft.output, 0) - inventory.get(step.craft.output, 0)
        if missing > 0:
            times = -(-missing // step.craft.made)
            for item, count in step.craft.needs:
                demand[item] = demand.get(item, 0) + times * count
            action = step.craft.text
    for item, amounts in scene.amounts.items():
        missing = demand.get(item, 0) - inventory.get(item, 0)
        if missing > 0:
            amount = next((amount for amount in amounts if amount >= missing), amounts[-1])
            return f"get {amount} {item}"
    return action
