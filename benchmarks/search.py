"""What search costs at scale: an index of a million passages, made from the sentences of the World Factbook.

    python benchmarks/search.py [--passages N] [--folder FOLDER] [figure ...]

Figures: build (time, memory, disk), query (one at a time), batch (many at a time), memory (after all that), strange (queries
that nobody should send), http (the server, asked by several clients at once). Each is measured in a process of its own.
Times of one query are by the clock; CPU times are beside them, which other work on the machine does not touch. The folder is
removed at the end unless it was named.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
from rich.console import Console
from rich.table import Table

from agentgym_rl.environments.search.corpora import Corpus
from agentgym_rl.environments.search.index import build_index, open_index
from agentgym_rl.environments.searchqa.factbook.build import questions, read_passages

MEBIBYTE = 1 << 20
WORDS = 90
"""Of a passage, about: as those of the public corpora."""
QUERIES = 3000
BATCH = 256
CLIENTS = 8
TOPK = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    name: str
    value: str
    target: str = ""


def write_corpus(path: Path, count: int) -> None:
    """Passages of sentences drawn from the Factbook's: real words, as frequent as they are in it."""
    passages = list(read_passages())
    sentences = [
        sentence
        for passage in passages
        for sentence in re.split(r"(?<=[.;]) |\n", passage.text)
        if len(sentence.split()) > 3
    ]
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            parts: list[str] = []
            words = 0
            while words < WORDS:
                parts.append(draw.choice(sentences))
                words += len(parts[-1].split())
            contents = f"{draw.choice(passages).title}\n{' '.join(parts)}"
            file.write(json.dumps({"id": str(number), "contents": contents}, ensure_ascii=False) + "\n")


def some_queries(count: int = QUERIES) -> list[str]:
    """Questions of the Factbook, each once."""
    every = [question.text for question in questions()]
    return random.Random(1).sample(every, min(count, len(every)))


def build(corpus: Path, index: Path) -> list[Figure]:
    wall, cpu = time.perf_counter(), time.process_time()
    build_index(Corpus(corpus), index, corpus=corpus.stem)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    disk = sum(file.stat().st_size for file in index.rglob("*") if file.is_file()) / MEBIBYTE
    return [
        Figure("build", f"{wall:.0f} s ({cpu:.0f} s of CPU)", "300 s"),
        Figure("build, peak memory", f"{peak:.0f} MiB", "bounded"),
        Figure("index on disk", f"{disk:.0f} MiB of {corpus.stat().st_size / MEBIBYTE:.0f} MiB of text"),
    ]


def query(_corpus: Path, index: Path) -> list[Figure]:
    start = time.perf_counter()
    with closing(open_index(index)) as retriever:
        opened = time.perf_counter() - start
        asked = some_queries()
        retriever.retrieve(asked[:100], TOPK)
        times, cpus = [], []
        for one in asked[100:]:
            wall, cpu = time.perf_counter(), time.process_time()
            retriever.retrieve([one], TOPK)
            times.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
    return [
        Figure("opening", f"{opened:.2f} s"),
        Figure("one query", _percentiles(times), "p50 3 ms"),
        Figure("one query, CPU", _percentiles(cpus)),
    ]


def batch(_corpus: Path, index: Path) -> list[Figure]:
    with closing(open_index(index)) as retriever:
        asked = some_queries()
        retriever.retrieve(asked[:100], TOPK)
        wall, cpu = time.perf_counter(), time.process_time()
        for start in range(0, len(asked), BATCH):
            retriever.retrieve(asked[start : start + BATCH], TOPK)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    rate = len(asked) / wall
    return [
        Figure(f"batches of {BATCH}", f"{rate:.0f} queries/s ({len(asked) / cpu:.0f} per second of CPU)", "300 queries/s")
    ]


def memory(_corpus: Path, index: Path) -> list[Figure]:
    with closing(open_index(index)) as retriever:
        for one in some_queries():
            retriever.retrieve([one], TOPK)
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    private, mapped = (int(status[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
    return [
        Figure("private memory after the queries", f"{private:.0f} MiB", "400 MiB"),
        Figure("mapped files in memory, shared", f"{mapped:.0f} MiB"),
    ]


def strange(_corpus: Path, index: Path) -> list[Figure]:
    frequent = " ".join(passage.text for passage, _ in zip(read_passages(), range(200), strict=False)).split()
    kinds = {
        "an empty query": "",
        "a query of 10,000 words": " ".join(frequent[:10_000]),
        "a query of one word, 10,000 times": "country " * 10_000,
        "a query of 1,000,000 characters of Chinese": "中华人民共和国" * 142_858,
    }
    found = []
    with closing(open_index(index)) as retriever:
        for name, text in kinds.items():
            start = time.perf_counter()
            hits = retriever.retrieve([text], TOPK)[0]
            found.append(Figure(name, f"{1000 * (time.perf_counter() - start):.1f} ms, {len(hits)} hits"))
    return found


def http(_corpus: Path, index: Path) -> list[Figure]:
    asked = some_queries(2048)
    warm, single, many = asked[:128], asked[128:1088], asked[1088:]  # the server remembers answers: none is asked for twice
    with served(index) as address, ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(lambda one: ask(address, [one]), warm))
        start = time.perf_counter()
        times = list(clients.map(lambda one: ask(address, [one]), single))
        singly = len(single) / (time.perf_counter() - start)
        start = time.perf_counter()
        list(clients.map(lambda place: ask(address, many[place : place + 32]), range(0, len(many), 32)))
        together = len(many) / (time.perf_counter() - start)
    return [
        Figure(f"server, {CLIENTS} clients, a query a request", f"{singly:.0f} queries/s, {_percentiles(times)}"),
        Figure(f"server, {CLIENTS} clients, 32 queries a request", f"{together:.0f} queries/s", "300 queries/s"),
    ]


def ask(address: str, asked: list[str]) -> float:
    """Seconds that a request takes."""
    body = json.dumps({"queries": asked, "topk": TOPK, "return_scores": True}).encode()
    start = time.perf_counter()
    with urlopen(Request(address, body, {"Content-Type": "application/json"}), timeout=120) as answer:
        result = json.loads(answer.read())["result"]
    assert len(result) == len(asked)
    return time.perf_counter() - start


@contextmanager
def served(index: Path) -> Iterator[str]:
    """``agentgym-rl search serve`` in a process of its own, as the address to ask."""
    command = [sys.executable, "-m", "agentgym_rl.cli", "search", "serve", str(index), "--port", "0", "--log-level", "error"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _percentiles(seconds: list[float]) -> str:
    p50, p99 = np.percentile(seconds, [50, 99]) * 1000
    return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms"


FIGURES: dict[str, Callable[[Path, Path], list[Figure]]] = {
    "build": build,
    "query": query,
    "batch": batch,
    "memory": memory,
    "strange": strange,
    "http": http,
}


def in_own_process(measure: Callable[[Path, Path], list[Figure]], corpus: Path, index: Path) -> list[Figure]:
    """What one run leaves in memory does not count for the next."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: Any = pool.apply(measure, (corpus, index))
    return list(found)


def measured(folder: Path, count: int, names: list[str]) -> Iterator[Figure]:
    """The figures, as they come. Corpus and index are made where they are not there yet."""
    corpus, index = folder / f"factbook-{count}.jsonl", folder / f"index-{count}"
    if not corpus.exists():
        write_corpus(corpus, count)
    if not index.exists() or "build" in names:
        built = in_own_process(build, corpus, index)
        yield from built if "build" in names else []
    for name in names:
        if name != "build":
            yield from in_own_process(FIGURES[name], corpus, index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", help="default: all")
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where corpus and index are kept, to be used again")
    options = parser.parse_args()
    if unknown := set(options.figures) - FIGURES.keys():
        parser.error(f"unknown figure {sorted(unknown)[0]!r}; known: {', '.join(FIGURES)}")
    table = Table("figure", "measured", "target", title=f"BM25 over {options.passages:,} passages")
    with tempfile.TemporaryDirectory() as own:
        folder = options.folder or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        for figure in measured(folder, options.passages, options.figures or list(FIGURES)):
            table.add_row(figure.name, figure.value, figure.target)
            print(figure.name, figure.value, file=sys.stderr, flush=True)
    Console().print(table)


if __name__ == "__main__":
    main()
