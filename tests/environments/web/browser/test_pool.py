"""Browsers that crash, freeze or wear out are replaced."""

from __future__ import annotations

import os
import signal

import pytest

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import BrowserSettings, NoBrowser, open_session, pool, run, session


@pytest.fixture
def title(pages):
    pages.answers["/"] = "<title>Fine</title>"
    settings = BrowserSettings(hosts=(pages.host,))

    async def look():
        async with session(settings) as opened:
            await opened.goto(pages.url())
            return (await opened.observe()).title, opened._browser.process

    return lambda: run(look())


def test_a_killed_browser_is_a_fault_and_replaced(pages, title):
    pages.answers["/"] = "<title>Fine</title>"
    opened = run(open_session(BrowserSettings(hosts=(pages.host,))))
    run(opened.goto(pages.url()))
    killed = opened._browser.process
    os.kill(killed, signal.SIGKILL)
    with pytest.raises(EnvironmentFault):
        run(_until_it_fails(opened))
    run(opened.close())
    name, process = title()
    assert name == "Fine"
    assert process != killed


async def _until_it_fails(opened):
    for _ in range(100):
        await opened.act("press [x]")


@pytest.mark.slow
def test_a_frozen_browser_is_replaced(title, monkeypatch):
    from agentgym_rl.environments.web.browser import chromium

    _, frozen = title()
    monkeypatch.setattr(chromium, "_CONTEXT_SECONDS", 2.0)
    os.kill(frozen, signal.SIGSTOP)
    monkeypatch.setattr(chromium, "_CLOSE_SECONDS", 2.0)
    name, process = title()
    assert name == "Fine"
    assert process != frozen


@pytest.mark.slow
def test_browsers_are_recycled(title, monkeypatch):
    first = title()[1]
    monkeypatch.setattr(pool, "RECYCLED_AFTER", 1)
    second = title()[1]
    monkeypatch.undo()
    assert first != second
    assert title()[1] == second


def test_a_browser_ends_with_its_last_session(pages, title, monkeypatch):
    opened = run(open_session(BrowserSettings(hosts=(pages.host,))))
    old = opened._browser
    monkeypatch.setattr(pool, "RECYCLED_AFTER", 0)
    title()
    monkeypatch.undo()
    run(opened.goto(pages.url()))
    assert run(opened.observe()).url == pages.url()
    run(opened.close())
    assert not old.healthy


def test_a_session_closes_twice(pages):
    opened = run(open_session(BrowserSettings(hosts=(pages.host,))))
    run(opened.close())
    run(opened.close())
    assert opened._browser.open == 0


def test_a_program_that_is_no_browser(tmp_path):
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(EnvironmentFault, match=f"{program} does not start"):
        run(open_session(BrowserSettings(executable=str(program))))


def test_no_browser():
    with pytest.raises(NoBrowser, match="apt-get install chromium-headless-shell"):
        run(open_session(BrowserSettings(executable="/no/such/browser")))


def test_hosts_that_are_none():
    with pytest.raises(ValueError, match="write it in lower case as host or host:port"):
        run(open_session(BrowserSettings(hosts=("http://shop",))))
