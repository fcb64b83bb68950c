"""The settings of the world, checked and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agentgym_rl.environments.web.browser import BrowserSettings
from agentgym_rl.environments.web.webarena.addresses import host_of
from agentgym_rl.environments.web.webarena.original.judge import Judge, read_judge
from agentgym_rl.environments.web.webarena.sites import Sites, read_sites
from agentgym_rl.environments.web.webarena.task_list import Selection, Source, select

Evaluators = Literal["verified", "original"]
WhenReset = Literal["changed", "always"]
DEFAULTS: dict[str, Any] = {
    "sites": None,
    "evaluators": "verified",
    "judge": None,
    "task_file": None,
    "items": None,
    "accounts": None,
    "share": False,
    "reset": "changed",
    "reset_seconds": 300.0,
    "wait_seconds": 50.0,
    "hosts": (),
    "scope": "viewport",
    "tokens": 4000,
    "image": False,
    "browser": None,
}


@dataclass(frozen=True, slots=True)
class Options:
    """The world's settings, read."""

    source: Source
    sites: Sites
    judge: Judge | None
    items: Mapping[str, Any] | None
    accounts: str | None
    share: bool
    reset: WhenReset
    reset_seconds: float
    wait_seconds: float
    hosts: tuple[str, ...]
    browser: BrowserSettings

    @property
    def selection(self) -> Selection:
        """Which tasks can be played. Raises ValueError: none can."""
        return select(self.source, tuple(self.sites), judged=self.judge is not None)

    @property
    def task_file(self) -> Path | None:
        """The user's own, absolute: the evaluator's worker may run elsewhere."""
        return None if self.source.file is None else self.source.path.resolve()


def read_options(settings: Mapping[str, Any]) -> Options:
    """Checks the settings of :class:`~agentgym_rl.environments.web.webarena.world.WebArena`. Asks no site and opens no task file.

    Raises:
        ValueError: a value of another type, an unknown word, settings that contradict each other.
    """
    given = {**DEFAULTS, **settings}
    for name, kinds in (("share", bool), ("image", bool)):
        _require(type(given[name]) is kinds, name, "true or false", given[name])
    for name, words in (
        ("evaluators", ("verified", "original")),
        ("reset", ("changed", "always")),
        ("scope", ("viewport", "page")),
    ):
        _require(given[name] in words, name, " or ".join(words), given[name])
    for name in ("reset_seconds", "wait_seconds"):
        value = given[name]
        _require(
            isinstance(value, int | float) and not isinstance(value, bool) and value > 0, name, "seconds above 0", value
        )
    for name in ("task_file", "accounts", "browser"):
        _require(given[name] is None or isinstance(given[name], str), name, "a path", given[name])
    tokens, hosts = given["tokens"], given["hosts"]
    _require(
        tokens is None or (type(tokens) is int and tokens >= 100), "tokens", "a whole number, 100 or more, or null", tokens
    )
    _require(
        isinstance(hosts, Sequence) and not isinstance(hosts, str) and all(isinstance(host, str) for host in hosts),
        "hosts",
        "a list of host or host:port",
        hosts,
    )
    evaluators = given["evaluators"]
    judge = read_judge(given["judge"])
    _require(judge is None or evaluators == "original", "judge", "left out with evaluators=verified, which need none", "set")
    sites = read_sites(given["sites"])
    resettable = [name for name, replicas in sites.items() if any(replica.resettable for replica in replicas)]
    _require(not (given["share"] and resettable), "share", f"false where a site is reset ({', '.join(resettable)})", True)
    every = (*dict.fromkeys(host_of(replica.url) for replicas in sites.values() for replica in replicas), *hosts)
    browser = BrowserSettings(
        browser_hosts=every, executable=given["browser"], scope=given["scope"], tokens=tokens, image=given["image"]
    )
    return Options(
        source=Source(evaluators, given["task_file"]),
        sites=sites,
        judge=judge,
        items=given["items"],
        accounts=given["accounts"],
        share=given["share"],
        reset=given["reset"],
        reset_seconds=given["reset_seconds"],
        wait_seconds=given["wait_seconds"],
        hosts=tuple(hosts),
        browser=browser,
    )


def _require(holds: bool, name: str, what: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"environment 'webarena': {name} must be {what}, not {value!r}")
