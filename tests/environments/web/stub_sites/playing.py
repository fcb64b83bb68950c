"""Plays a task by a script that names elements as the observation shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ELEMENT = re.compile(r"\[(\w+ '(?:[^'\\]|\\.)*')\]")


def played(world: Any, task: str, script: Sequence[str]) -> tuple[float, Mapping[str, Any], list[str]]:
    """The rewards together, the last info, and all observations.

    ``click [button 'Save']`` is taken with the number of the first line that begins with ``button 'Save'``.
    """
    observation, info = world.reset(options={"task": task})
    seen, earned = [observation], 0.0
    for line in script:
        assert world.running, f"over before {line!r}"
        action = _ELEMENT.sub(lambda found: f"[{number_of(found[1], seen[-1])}]", line)
        observation, reward, *_, info = world.step(action)
        earned += reward
        seen.append(observation)
    return earned, info, seen


def number_of(element: str, observation: str) -> str:
    """The number of an element in an observation."""
    found = re.search(rf"^\s*\[(\d+)\] {re.escape(element)}", observation, re.MULTILINE)
    assert found, f"no {element} in:\n{observation}"
    return found[1]
