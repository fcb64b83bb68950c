"""What the browser layer costs: a real Chromium on pages of a server in a process of its own.

    python benchmarks/web.py [--quick] [figure ...]

Figures: turn (a click and the view after it, on a page of 400 elements, and on one that navigates), episodes (turns a second with
four at once), reset (a fresh context to the first view), builder (the tree of 1,000 nodes alone), memory (a further context),
long (500 MiniWoB++ episodes in a row: memory after each hundred, processes left). The targets in the table are for two idle cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agentgym_rl.environments.registry import make, tasks
from agentgym_rl.environments.web.browser import BrowserSettings, Session, View, open_session, run, session
from agentgym_rl.environments.web.browser.tree import elements_of, text_of

_SERVER = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        rows = int(urlsplit(self.path).path.strip("/").split("/")[0] or 133)
        row = "<li>Item {0} <a href=/{1}/{0}>Show {0}</a> <button>Add {0}</button></li>"
        lines = "".join(row.format(place, rows) for place in range(rows))
        page = f"<title>List</title><h1>All</h1><ul>{lines}</ul>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
print(server.server_port, flush=True)
server.serve_forever()
"""
ROWS_400 = 133
"""Rows of a page of 400 elements; a row is a text, a link and a button."""
ROWS_1000 = 333
MOST_TURNS = 20
"""Of an episode of the long run; its oracle needs three."""


@contextmanager
def served() -> Iterator[str]:
    """``127.0.0.1:PORT`` of the pages."""
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"127.0.0.1:{int(server.stdout.readline())}"
        server.terminate()


def pss(process: int) -> float:
    """MiB of a process and all below it, shared pages counted once."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parts = path.read_text().rsplit(")", 1)[1].split()
            if int(path.parent.name) != process and int(parts[1]) not in _below(process):
                continue
            rollup = (path.parent / "smaps_rollup").read_text()
            total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        except (FileNotFoundError, ProcessLookupError, PermissionError, StopIteration):
            continue
    return total / 1024


def _below(process: int) -> set[int]:
    """The process and its descendants."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def pick(view: View, role: str, place: int) -> str:
    """A click on the element of that role and place among them."""
    return f"click [{[element.id for element in view.elements if element.role == role][place]}]"


async def turns(opened: Session, role: str, count: int) -> list[float]:
    """Seconds of each turn."""
    found = []
    for place in range(count):
        assert opened.view is not None
        action = pick(opened.view, role, place)
        begun = time.perf_counter()
        await opened.act(action)
        found.append(time.perf_counter() - begun)
    return found


async def measure_turn(host: str, count: int) -> list[tuple[str, str, str]]:
    settings = BrowserSettings(hosts=(host,), scope="page")
    async with session(settings) as opened:
        await opened.goto(f"http://{host}/{ROWS_400}")
        view = await opened.observe()
        clicks = await turns(opened, "button", count)
        links = await turns(opened, "link", count)
    return [
        (f"turn, click ({len(view.elements)} elements)", f"{statistics.median(clicks) * 1000:.0f} ms", "≤ 120 ms"),
        (f"turn, a new page ({len(view.elements)} elements)", f"{statistics.median(links) * 1000:.0f} ms", "≤ 120 ms"),
    ]


async def measure_episodes(host: str, count: int) -> list[tuple[str, str, str]]:
    settings = BrowserSettings(hosts=(host,), scope="page")

    async def episode(role: str) -> None:
        async with session(settings) as opened:
            await opened.goto(f"http://{host}/{ROWS_400}")
            await opened.observe()
            await turns(opened, role, count)

    rows = []
    for role, what in (("button", "clicks"), ("link", "new pages")):
        begun = time.perf_counter()
        await asyncio.gather(*(episode(role) for _ in range(4)))
        rows.append((f"four episodes at once, {what}", f"{4 * count / (time.perf_counter() - begun):.1f} turns/s", "≥ 8"))
    return rows


async def measure_reset(host: str, count: int) -> list[tuple[str, str, str]]:
    settings = BrowserSettings(hosts=(host,), scope="page")
    found = []
    for _ in range(count + 1):
        begun = time.perf_counter()
        opened = await open_session(settings)
        await opened.goto(f"http://{host}/{ROWS_400}")
        await opened.observe()
        found.append(time.perf_counter() - begun)
        await opened.close()
    return [("reset to first view", f"{statistics.median(found[1:]) * 1000:.0f} ms", "≤ 400 ms")]


async def measure_builder(host: str, count: int) -> list[tuple[str, str, str]]:
    settings = BrowserSettings(hosts=(host,), scope="page")
    found = []
    async with session(settings) as opened:
        await opened.goto(f"http://{host}/{ROWS_1000}")
        await opened.observe()
        options = {"whole": True, "graphics": False, "hidden": ""}
        for _ in range(count):
            begun = time.perf_counter()
            seen = await opened.tab.read("observe", options)
            text_of(elements_of(seen["rows"]), None)
            found.append(time.perf_counter() - begun)
    return [(f"builder ({len(seen['rows'])} nodes)", f"{statistics.median(found) * 1000:.0f} ms", "≤ 60 ms")]


async def measure_memory(host: str, count: int) -> list[tuple[str, str, str]]:
    settings = BrowserSettings(hosts=(host,), scope="page")

    async def opened() -> Session:
        one = await open_session(settings)
        await one.goto(f"http://{host}/{ROWS_400}")
        await one.observe()
        return one

    kept = [await opened()]
    before = pss(os.getpid())
    more = min(count, 8)
    kept += [await opened() for _ in range(more)]
    each = (pss(os.getpid()) - before) / more
    for one in kept:
        await one.close()
    return [("memory of a further context", f"{each:.0f} MiB", "≤ 80 MiB")]


def measure_long(episodes: int) -> list[tuple[str, str, str]]:
    before = len(_below(os.getpid()))
    found = tasks("miniwob", pages=["click-test-2", "click-button", "enter-text"])
    fifth = episodes // 5
    sizes, solved = [], 0
    begun = time.perf_counter()
    with make("miniwob") as world:
        for place in range(episodes):
            _, info = world.reset(seed=0, options={"task": found[place % len(found)]})
            for _ in range(MOST_TURNS):
                if world.running:
                    *_, info = world.step(world.expert_action() or "stop")
            solved += info["success"]
            if (place + 1) % fifth == 0:
                sizes.append(pss(os.getpid()))
    seconds = time.perf_counter() - begun
    left = len(_below(os.getpid())) - before
    return [
        (f"memory after {fifth}, {2 * fifth} … episodes", f"{', '.join(f'{size:.0f}' for size in sizes)} MiB", "flat"),
        ("processes besides this one (driver, browser)", str(left), "none at the end of the process"),
        ("MiniWoB++ episodes, one after the other", f"{episodes / seconds:.1f} a second, {solved} of {episodes} solved", ""),
    ]


FIGURES: dict[str, Callable[[str, int], list[tuple[str, str, str]]]] = {
    "turn": lambda host, count: run(measure_turn(host, count)),
    "episodes": lambda host, count: run(measure_episodes(host, count)),
    "reset": lambda host, count: run(measure_reset(host, count)),
    "builder": lambda host, count: run(measure_builder(host, count)),
    "memory": lambda host, count: run(measure_memory(host, count)),
    "long": lambda _host, count: measure_long(500 if count > 20 else 60),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("figures", nargs="*", choices=[*FIGURES, []], help="all when none is named")
    parser.add_argument("--quick", action="store_true", help="fewer of each")
    chosen = parser.parse_args()
    table = Table("figure", "measured", "target", box=None, pad_edge=False)
    with served() as host:
        for name in chosen.figures or FIGURES:
            for row in FIGURES[name](host, 12 if chosen.quick else 60):
                table.add_row(*row)
    table.caption = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    Console().print(table)


if __name__ == "__main__":
    main()
