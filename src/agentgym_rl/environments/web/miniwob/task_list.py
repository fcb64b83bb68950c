"""Tasks: a page and the seed of its problem, in three splits that share no seed and no problem."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import islice

from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.environments.web.miniwob.pages import family

FIRST_SEED: dict[Split, int] = {"train": 0, "validation": 10_000, "test": 20_000}
"""Where a split's seeds begin; a split takes the next ones that are not left out."""
PER_PAGE: dict[Split, int] = {"train": 50, "validation": 5, "test": 10}
"""Tasks of each page in a split; a page with few different problems has fewer."""
SEARCHED: dict[Split, int] = {"train": 60, "validation": 10, "test": 20}
"""How many seeds are looked at."""


def seeds(page: str, split: Split) -> Iterator[int]:
    """The seeds of a page in a split: counted up, without those that ``left_out.json`` lists."""
    left_out = _left_out().get(page, frozenset())
    searched = range(FIRST_SEED[split], FIRST_SEED[split] + SEARCHED[split])
    return islice((seed for seed in searched if seed not in left_out), PER_PAGE[split])


@cache
def task_set(split: Split, chosen: tuple[str, ...]) -> TaskSet:
    """The tasks of a split, page by page."""
    return TaskSet(
        Task(f"{page}/{seed}", "miniwob", split, family(page), data={"page": page, "seed": seed})
        for page in chosen
        for seed in seeds(page, split)
    )


def check_pages(given: Sequence[str] | str | None, known: Sequence[str]) -> tuple[str, ...]:
    """The pages meant, in their usual order. Raises ValueError: none, or one that there is not."""
    if given is None:
        return tuple(known)
    import difflib

    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            raise ValueError(f"environment 'miniwob': there is no page {name!r}{f'; nearest: {near[0]}' if near else ''}")
    if not names:
        raise ValueError("environment 'miniwob': pages must name at least one page")
    return tuple(name for name in known if name in names)


@cache
def _left_out() -> dict[str, frozenset[int]]:
    """Seeds that no split uses, since they repeat a problem, by page; see ``scripts/miniwob_left_out.py``."""
    text = resources.files(__package__).joinpath("left_out.json").read_text(encoding="utf-8")
    return {page: frozenset(left_out) for page, left_out in json.loads(text).items()}
