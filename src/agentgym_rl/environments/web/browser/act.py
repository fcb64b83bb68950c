"""Carries out commands. What goes wrong with one is a sentence for the agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from agentgym_rl.environments.web.browser.grammar import Command
from agentgym_rl.environments.web.browser.hosts import is_allowed
from agentgym_rl.environments.web.browser.keys import key_problem, named_key
from agentgym_rl.environments.web.browser.view import Element
from agentgym_rl.environments.web.browser.world import DocumentGone

if TYPE_CHECKING:
    from agentgym_rl.environments.web.browser.session import Session


class Actions:
    """The actions of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def take(self, command: Command) -> str | None:
        """Carries a command out, ``stop`` excepted. Returns what went wrong, or None."""
        from playwright.async_api import Error

        if not self._session.tabs:
            await self._session.new_tab()
        page = self._session.page
        try:
            await self._session.tab.wake()
            return await self._do(command)
        except Error:
            if page.is_closed():
                return None  # the action closed it
            raise

    async def _do(self, command: Command) -> str | None:
        session = self._session
        match command.verb:
            case "click" | "hover" | "type":
                try:
                    return await self._on_element(command)
                except DocumentGone:
                    return f"The page changed while {command.verb} [{command.element}] was carried out."
            case "press":
                return await self._press(command.text)
            case "scroll":
                sign = 1 if command.text == "down" else -1
                await session.page.mouse.move(session.settings.width / 2, session.settings.height / 2)
                await session.page.mouse.wheel(0, sign * session.settings.height)
                return None
            case "new_tab":
                await session.new_tab()
                return None
            case "tab_focus":
                if command.element >= len(session.tabs):
                    return f"There is no tab {command.element}; there are tabs 0 to {len(session.tabs) - 1}."
                await session.focus(command.element)
                return None
            case "close_tab":
                await session.page.close()
                return None
            case "goto":
                return await self.goto(command.text)
            case "go_back" | "go_forward":
                return await self._history(command.verb)
            case "stop":
                return None

    async def goto(self, url: str) -> str | None:
        """Loads an address. Returns what went wrong, or None."""
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        session = self._session
        address = url if "://" in url or url.startswith(("about:", "data:", "blob:", "javascript:")) else f"http://{url}"
        if not (is_allowed(address, session.settings.hosts) and address.startswith(("http://", "https://", "about:blank"))):
            session.blocked.append(address)
            return (
                f"{address[:200]!r} can't be loaded: only {', '.join(session.settings.hosts) or 'nothing'} may be reached."
            )
        try:
            await session.page.goto(address, wait_until="domcontentloaded", timeout=session.settings.load_seconds * 1000)
        except PlaywrightTimeout:
            return f"{address[:200]} did not load within {session.settings.load_seconds:g} s."
        except Error as error:
            if "net::" not in error.message:
                raise
            return f"{address[:200]} could not be loaded: {error.message.splitlines()[0].split('net::', 1)[1].split(' at ')[0]}."
        return None

    async def _history(self, verb: str) -> str | None:
        from playwright.async_api import Error

        session = self._session
        there = session.url
        try:
            go = session.page.go_back if verb == "go_back" else session.page.go_forward
            answer = await go(wait_until="domcontentloaded", timeout=session.settings.load_seconds * 1000)
        except Error as error:
            if "net::" in error.message or "Timeout" in error.message:
                return f"{verb}: the page could not be loaded."
            raise
        if answer is None and session.url == there:
            return f"There is no page to {verb.replace('_', ' ')} to."
        return None

    async def _press(self, combination: str) -> str | None:
        if problem := key_problem(combination):
            return problem
        await self._session.page.keyboard.press(named_key(combination))
        return None

    async def _on_element(self, command: Command) -> str | None:
        session = self._session
        known = session.view
        if known is None or not 1 <= command.element <= len(known.elements):
            last = 0 if known is None else len(known.elements)
            return f"There is no element [{command.element}]; the elements are [1] to [{last}]."
        element = known[command.element]
        id = command.element
        try:
            place = await session.tab.call("locate", id)
        except DocumentGone:  # the page went elsewhere by itself since it was shown
            place = {"problem": "stale"}
        if place.get("problem") in ("stale", "unknown"):
            id, place = await self._find_again(element)
        if problem := place.get("problem"):
            return self._explain(problem, element, place, command.verb)
        if place.get("option"):
            if command.verb != "click":
                return f"Element [{element.id}] option '{element.name}' can only be clicked."
            await session.tab.call("choose", id)
            return None
        if command.verb == "click" and place.get("file"):
            return "No file chooser was opened: files can't be uploaded."
        if command.verb == "type":
            return await self._type(id, element, place, command)
        await self._mouse(place["x"], place["y"], click=command.verb == "click")
        return None

    async def _find_again(self, element: Element) -> tuple[int, dict[str, Any]]:
        """A stale element by its role and name, when there is exactly one such now."""
        session = self._session
        view = await session.peek()
        same = [other for other in view if (other.role, other.name) == (element.role, element.name)]
        if len(same) != 1:
            return 0, {"problem": "stale", "now": len(same)}
        return same[0].id, await session.tab.call("locate", same[0].id)

    def _explain(self, problem: str, element: Element, place: dict[str, Any], verb: str) -> str:
        what = f"Element [{element.id}] {element.role} '{element.name[:60]}'"
        nothing = {"click": "nothing was clicked", "type": "nothing was typed", "hover": "the mouse did not move"}[verb]
        match problem:
            case "stale":
                now = f"{place['now']} such elements are there now" if place.get("now") else "no such element is there now"
                return f"{what} is stale: the page changed, and {now}; {nothing}."
            case "covered":
                return f"{what} is covered by {place['by']}; {nothing}."
            case "disabled":
                return f"{what} is disabled; {nothing}."
            case _:
                return f"{what} is hidden; {nothing}."

    async def _mouse(self, x: float, y: float, *, click: bool) -> None:
        """Moves, presses and releases without waiting in between: the browser keeps the order."""
        send = self._session.tab.protocol.send
        at = {"x": x, "y": y}
        events = [send("Input.dispatchMouseEvent", {**at, "type": "mouseMoved"})]
        if click:
            pressed = {**at, "button": "left", "clickCount": 1}
            events.append(send("Input.dispatchMouseEvent", {**pressed, "type": "mousePressed", "buttons": 1}))
            events.append(send("Input.dispatchMouseEvent", {**pressed, "type": "mouseReleased", "buttons": 0}))
        await asyncio.gather(*events)

    async def _type(self, id: int, element: Element, place: dict[str, Any], command: Command) -> str | None:
        if not place.get("editable"):
            return f"Element [{element.id}] {element.role} '{element.name[:60]}' takes no text; nothing was typed."
        tab = self._session.tab
        if not await tab.call("fill", id, command.text):
            await self._mouse(place["x"], place["y"], click=True)
            filled = await tab.call("empty", id)
            if filled and not command.text:
                await tab.page.keyboard.press("Delete")
            await tab.page.keyboard.insert_text(command.text)
        if command.enter:
            await tab.page.keyboard.press("Enter")
        return None
