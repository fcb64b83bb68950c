"""A real browser for worlds: sessions with WebArena's observations and actions.

    from agentgym_rl.environments.web.browser import BrowserSettings, run, session

    async def episode():
        async with session(BrowserSettings(hosts=("shop.localhost:7000",))) as shop:
            await shop.goto("http://shop.localhost:7000/")
            outcome = await shop.act("click [12]")
            return outcome.view.text

    print(run(episode()))  # synchronous code; asynchronous code uses `await on_browser_loop(episode())`

Playwright is imported when the first session opens, never before.
"""

from agentgym_rl.environments.web.browser.find import NoBrowser, find_chromium
from agentgym_rl.environments.web.browser.grammar import Command, read_command
from agentgym_rl.environments.web.browser.loop import on_browser_loop, run
from agentgym_rl.environments.web.browser.pool import open_session, session
from agentgym_rl.environments.web.browser.session import Outcome, Session
from agentgym_rl.environments.web.browser.settings import BrowserSettings
from agentgym_rl.environments.web.browser.view import Element, View

__all__ = [
    "BrowserSettings",
    "Command",
    "Element",
    "NoBrowser",
    "Outcome",
    "Session",
    "View",
    "find_chromium",
    "on_browser_loop",
    "open_session",
    "read_command",
    "run",
    "session",
]
