"""Five stub sites, a cache folder for each test, worlds, and the package of the evaluators where pip gets it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from stub_sites import Dashboard, Forge, Forum, Map, Shop, Site

from agentgym_rl.environments.web.webarena import WebArena, task_list
from agentgym_rl.environments.web.webarena.catalog import KINDS


@pytest.fixture(scope="session")
def started() -> Iterator[dict[str, Site]]:
    kinds: tuple[type[Site], ...] = (Shop, Dashboard, Map, Forge, Forum)
    sites = {kind.name: kind() for kind in kinds}
    for site in sites.values():
        site.start()
    yield sites
    for site in sites.values():
        site.stop()


@pytest.fixture
def sites(started: dict[str, Site]) -> dict[str, Site]:
    """Running, with fresh content. Logins are kept: they take time."""
    for site in started.values():
        site.state = site.initial()
        site.requests.clear()
    return started


@pytest.fixture
def addresses(sites: dict[str, Site]) -> dict[str, str]:
    """The setting ``sites``."""
    return {name: site.url for name, site in sites.items()}


@pytest.fixture(autouse=True)
def _no_sites_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in KINDS.values():
        for variable in kind.variables:
            for suffix in ("", "_USERNAME", "_PASSWORD"):
                monkeypatch.delenv(variable + suffix, raising=False)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder: leases of one test are not those of another, and the user's are left alone."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("AGENTGYM_RL_CACHE", str(folder))
    task_list.tasks_of.cache_clear()
    task_list.splits_of.cache_clear()
    return folder


@pytest.fixture
def make(addresses: dict[str, str]) -> Iterator[Callable[..., WebArena]]:
    """Makes worlds on the stub sites, closed at the end."""
    made: list[WebArena] = []

    def world(**settings: Any) -> WebArena:
        made.append(WebArena(**{"sites": addresses, **settings}))
        return made[-1]

    yield world
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def package_folder() -> Path:
    """Where webarena-verified is, in the user's cache: installed by pip when it is not yet there."""
    from agentgym_rl.environments.web.webarena.errors import VerifiedMissing
    from agentgym_rl.environments.web.webarena.verified import package

    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("AGENTGYM_RL_CACHE", raising=False)
        try:
            return package.install()
        except VerifiedMissing as error:
            pytest.skip(f"pip can't install webarena-verified here: {error}")


@pytest.fixture
def package(package_folder: Path, cache: Path) -> Path:
    """The package, in the cache folder of the test."""
    there = cache / package_folder.name
    there.symlink_to(package_folder, target_is_directory=True)
    return there
