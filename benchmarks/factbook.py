"""What the embedded corpus costs, how well it is found, and how players without a model do: the tables of SearchQA's docs page.

    python benchmarks/factbook.py [build] [recall] [players]     # two minutes on one core for all

Times are by the clock, CPU times beside them. Nothing is taken from the cache.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path

import numpy as np

import agentgym_rl
from agentgym_rl.environments.search.index import build_index, open_index
from agentgym_rl.environments.searchqa import SearchQA
from agentgym_rl.environments.searchqa.factbook import build
from agentgym_rl.environments.searchqa.retrieval import factbook_index

SMALL = {"topk": 1, "tokens": 70, "searches": 2, "queries_offered": 5, "answers_offered": 6}
"""The settings of configs/searchqa-quickstart.yaml, played for 3 turns."""


def built() -> None:
    """Passages, questions and index, made afresh."""
    with tempfile.TemporaryDirectory() as folder:
        start, cpu = time.perf_counter(), time.process_time()
        passages, questions = build.make()
        made = time.perf_counter() - start
        build_index(passages, Path(folder) / "index", corpus="factbook")
        taken = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    print(
        f"built: {len(passages):,} passages, {len(questions):,} questions in {made:.1f} s, with the index "
        f"{taken:.1f} s ({time.process_time() - cpu:.1f} s of CPU, limit 15 s), {size / 2**20:.0f} MiB"
    )


def recall() -> None:
    """Recall@3 of the oracle's first query of each hop, of whole chains, and of the question as the only query."""
    found, asked = Counter(), Counter()
    start = time.perf_counter()
    with closing(open_index(factbook_index())) as retriever:
        for question in build.questions():
            gold = [hop.passages for hop in question.hops]
            *hops, whole = retriever.retrieve([*(hop.queries[0] for hop in question.hops), question.text], 3)
            hit = [any(one.passage.id in ids for one in hits) for ids, hits in zip(gold, hops, strict=True)]
            for name in (question.category, "all"):
                asked[name, "hops"] += len(hit)
                found[name, "hops"] += sum(hit)
                asked[name, "chains"] += 1
                found[name, "chains"] += all(hit)
                found[name, "whole"] += all(any(one.passage.id in ids for one in whole) for ids in gold)
    print(f"recall@3, {time.perf_counter() - start:.0f} s (limit 0.85 per hop)")
    print("| family | questions | per hop | all hops | whole question as one query, all hops |\n|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in asked):
        count = asked[name, "chains"]
        print(
            f"| {name} | {count:,} | {found[name, 'hops'] / asked[name, 'hops']:.3f} | {found[name, 'chains'] / count:.3f} | "
            f"{found[name, 'whole'] / count:.3f} |"
        )


def players() -> None:
    """Success of players without a model on every fourth test question."""
    for title, settings, turns in (("default, 5 turns", {}, 5), ("quickstart's settings, 3 turns", SMALL, 3)):
        with agentgym_rl.make("searchqa", **settings) as world:
            assert isinstance(world, SearchQA)
            names = ["random", *world.shortcuts(), "expert"]
            solved: dict[str, list[float]] = defaultdict(list)
            tasks = agentgym_rl.tasks("searchqa", "test")
            played = 0
            start = time.perf_counter()
            for category in tasks.categories:
                some = list(tasks.filter(category))[::4]
                for name in names:
                    wins = 0
                    for number, task in enumerate(some):
                        success, taken = play(world, task.id, name, turns, number)
                        wins += success
                        played += taken
                    solved[category].append(wins / len(some))
            print(f"{title}; {played / (time.perf_counter() - start):.0f} turns/s")
        print(f"| family | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
        for category, rates in solved.items():
            print(f"| {category} | {' | '.join(f'{rate:.2f}' for rate in rates)} |")


def play(world: SearchQA, task: str, player: str, turns: int, seed: int) -> tuple[bool, int]:
    """Whether the player succeeds, and how many turns it took."""
    random = np.random.default_rng(seed)
    world.reset(options={"task": task})
    info = {"success": False}
    for turn in range(turns):
        offered = world.admissible_actions()
        action = (
            str(random.choice(offered))
            if player == "random"
            else world.expert_action() or offered[0]
            if player == "expert"
            else world.shortcuts()[player](random)
        )
        info = world.step(action)[4]
        if not world.running:
            return bool(info["success"]), turn + 1
    return False, turns


if __name__ == "__main__":
    parts = {"build": built, "recall": recall, "players": players}
    for name in sys.argv[1:] or parts:
        parts[name]()
