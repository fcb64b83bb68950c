"""One episode: a page opened, begun at its seed, acted on, and its reward read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.browser import BrowserSettings, Outcome, Session, View, open_session
from agentgym_rl.environments.web.miniwob.pages import root
from agentgym_rl.environments.web.miniwob.server import served

HIDDEN = "#query, #reward-display, #click-canvas, #sync-task-cover"
"""The goal, which is given beside the page, and what belongs to the page's own counting of rewards."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What an action led to."""

    outcome: Outcome
    done: bool
    raw: float
    """MiniWoB++'s raw reward, in [-1, 1]; 0 before the end."""


class Episode:
    """Runs on the browser's loop. :meth:`begin` first; :meth:`close` always, also after a fault."""

    def __init__(self, page: str, seed: int, settings: BrowserSettings) -> None:
        self.page = page
        self.goal = ""
        self._seed = seed
        self._settings = settings
        self._session: Session | None = None

    async def begin(self) -> View:
        """The first view. Raises: EnvironmentFault; NoBrowser."""
        address = await served(root())
        settings = replace(
            self._settings,
            hosts=(address,),
            browser_hosts=("127.0.0.1",),
            script=_script(),
            settle="agentgym.turn()",
            hide=HIDDEN,
        )
        self._session = await open_session(settings)
        await self._session.goto(f"http://{address}/miniwob/{self.page}.html")
        self.goal = str(await self._session.evaluate(f"agentgym.begin({self._seed})"))
        return await self._session.observe()

    @property
    def session(self) -> Session:
        """The browser's, after :meth:`begin` and before :meth:`close`."""
        assert self._session is not None
        return self._session

    async def act(self, action: str) -> Turn:
        """Raises: EnvironmentFault."""
        outcome = await self.session.act(action)
        if outcome.answer is not None:
            return Turn(outcome, True, 0.0)
        state = outcome.settled
        if not isinstance(state, dict):
            if not outcome.understood:
                return Turn(outcome, False, 0.0)
            raise EnvironmentFault(f"miniwob: the page {self.page} went away")
        return Turn(outcome, bool(state["done"]), float(state["raw"]))

    async def close(self) -> None:
        """Idempotent."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


@cache
def _script() -> str:
    return (files(__package__) / "page.js").read_text("utf-8")
