"""Writes ``left_out.json`` of MiniWoB++: seeds whose problem an earlier one has, so that no two tasks are the same problem.

    python scripts/miniwob_left_out.py           # some minutes
    python scripts/miniwob_left_out.py click-tab # for some pages

Which of several seeds with the same problem stays: the first of each split in turn, then the others of the
training split, then of test and validation; so a page with a single problem is trained on, and one with three is in every split.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import Session, run
from agentgym_rl.environments.web.browser.tree import line_of
from agentgym_rl.environments.web.miniwob import pages, task_list
from agentgym_rl.environments.web.miniwob.episode import Episode
from agentgym_rl.environments.web.miniwob.world import BROWSER

ORDER: tuple[task_list.Split, ...] = ("train", "test", "validation")


def candidates() -> list[int]:
    """All seeds looked at, those first that stay first."""
    found = {
        split: [*range(task_list.FIRST_SEED[split], task_list.FIRST_SEED[split] + task_list.SEARCHED[split])]
        for split in ORDER
    }
    return [seeds[0] for seeds in found.values()] + [seed for seeds in found.values() for seed in seeds[1:]]


async def contents(page: str, seeds: Iterable[int], *, reload: bool = False) -> dict[int, str]:
    """What each seed's problem looks like. Pages are begun anew unloaded, unless that leaves traces or slows them."""
    episode = Episode(page, 0, BROWSER)
    await episode.begin()
    opened = episode.session
    found: dict[int, str] = {}
    try:
        for seed in seeds:
            if reload:
                await opened.goto(opened.url)
            found[seed] = await content(opened, seed)
        first = next(iter(found))
        if reload or found[first] == await content(opened, first):
            return found
    except EnvironmentFault:
        if reload:
            raise
    finally:
        await episode.close()
    return await contents(page, seeds, reload=True)


async def content(opened: Session, seed: int) -> str:
    goal = await opened.evaluate(f"agentgym.begin({seed})")
    return "\n".join([goal, *(f"{line_of(element)} {element.box}" for element in (await opened.peek())[1:])])


def left_out(found: dict[int, str]) -> list[int]:
    seen: set[str] = set()
    again = []
    for seed, text in found.items():
        if text in seen:
            again.append(seed)
        seen.add(text)
    return sorted(again)


def main() -> None:
    file = Path(task_list.__file__).with_name("left_out.json")
    every: dict[str, list[int]] = json.loads(file.read_text("utf-8"))
    for page in sys.argv[1:] or pages.pages():
        every[page] = left_out(run(contents(page, candidates())))
        print(page, len(every[page]), flush=True)
        rows = ",\n".join(f"  {json.dumps(page)}: {json.dumps(seeds)}" for page, seeds in sorted(every.items()) if seeds)
        file.write_text(f"{{\n{rows}\n}}\n", "utf-8")


main()
