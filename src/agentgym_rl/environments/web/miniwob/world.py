"""The MiniWoB++ environment."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, ClassVar

from agentgym_rl.environments.errors import MissingExtra
from agentgym_rl.environments.protocol import Environment, Info, Observation
from agentgym_rl.environments.spaces import text_and_image
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.environments.web.browser import BrowserSettings, View, find_chromium, run
from agentgym_rl.environments.web.browser.tree import line_of
from agentgym_rl.environments.web.miniwob import SUMMARY
from agentgym_rl.environments.web.miniwob.actions import ACTION_SCHEMA, GRAMMAR, INSTRUCTIONS, is_action
from agentgym_rl.environments.web.miniwob.episode import Episode
from agentgym_rl.environments.web.miniwob.names import named, numbered, phrases
from agentgym_rl.environments.web.miniwob.offers import offers
from agentgym_rl.environments.web.miniwob.oracles import Situation, oracle_for
from agentgym_rl.environments.web.miniwob.pages import pages as all_pages
from agentgym_rl.environments.web.miniwob.task_list import check_pages, task_set

WIDTH, HEIGHT = 500, 320
"""Of the viewport, as in the original; a page itself takes 160 x 210 of it."""
BROWSER = BrowserSettings(width=WIDTH, height=HEIGHT, scope="page", graphics=True)
ENDINGS = {True: "The goal is reached.", False: "The episode is over: the goal is missed."}


def check_options(options: dict[str, Any]) -> tuple[str, ...]:
    """The pages meant. Raises: ValueError; MissingExtra."""
    for name in ("image", "names"):
        if not isinstance(options.get(name, False), bool):
            raise ValueError(f"environment 'miniwob': {name} must be true or false, not {options[name]!r}")
    return check_pages(options.get("pages"), all_pages())


class MiniWoB(Environment):
    """MiniWoB++ (Liu et al. 2018, arXiv:1802.08802) from the pages of the package ``miniwob``.

    Args:
        pages: which pages the tasks come from: names such as ``click-button``; None: all.
        names: admissible and expert actions name their element (``click button 'Submit'``) instead of giving its number, which
            small models find easier. Both forms are always read.
        image: observations are ``{"text": str, "image": uint8[320, 500, 3]}``, with a screenshot.
        browser: the Chromium to use.

    Raises:
        ValueError: an unknown page, or an option of another type.
        MissingExtra: there is no browser, or Playwright or the package ``miniwob`` is not installed.
    """

    id: ClassVar[str] = "miniwob"
    summary: ClassVar[str] = SUMMARY
    extra: ClassVar[str | None] = "web"
    operator_settings: ClassVar[frozenset[str]] = frozenset({"browser"})
    instructions = INSTRUCTIONS
    action_schema = ACTION_SCHEMA

    def __init__(
        self,
        *,
        pages: Sequence[str] | str | None = None,
        names: bool = False,
        image: bool = False,
        browser: str | None = None,
    ) -> None:
        super().__init__(pages=pages, names=names, image=image, browser=browser)
        check_options(self.settings)
        if find_spec("playwright") is None:
            raise MissingExtra("environment 'miniwob' needs playwright: pip install 'agentgym-rl[web]'", name="playwright")
        find_chromium(browser)
        self._browser = replace(BROWSER, executable=browser, image=image)
        self._names = names
        self._image = image
        if image:
            self.observation_space = text_and_image(HEIGHT, WIDTH)
        self._episode: Episode | None = None
        self._view: View | None = None

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The tasks of a split, page by page. The category is the page's family."""
        return task_set(split, check_options(settings))

    def _begin(self, task: Task) -> tuple[Observation, Info]:
        self._free()
        self._episode = Episode(task.data["page"], task.data["seed"], self._browser)
        try:
            self._view = run(self._episode.begin())
        except BaseException:
            self._free()
            raise
        return self._observation(), self._info()

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        assert self._episode is not None
        assert self._view is not None
        action = numbered(action, self._view)
        if not is_action(action):
            return (
                self._observation((f"This is no action here. Actions: {GRAMMAR}.",)),
                0.0,
                False,
                False,
                self._info(read=False),
            )
        try:
            turn = run(self._episode.act(action))
        except BaseException:
            self._free()
            raise
        self._view = turn.outcome.view
        if not turn.done:
            return self._observation(turn.outcome.notes), 0.0, False, False, self._info()
        score = min(1.0, max(0.0, turn.raw))
        info: Info = {**self._info(score), "raw_reward": turn.raw}  # type: ignore[typeddict-unknown-key]
        observation = self._observation((ENDINGS[score == 1.0],), over=True)
        self._free()
        return observation, score, True, False, info

    def _free(self) -> None:
        if self._episode is not None:
            run(self._episode.close())

    def admissible_actions(self) -> list[str]:
        """Clicks on every element, texts offered from the goal for every field, and keys where a page wants some."""
        if not self.running or self._episode is None or self._view is None:
            return []
        found = offers(self._episode.page, self._episode.goal, self._view)
        return self._told(found)

    def expert_action(self) -> str | None:
        """The next action of the page's oracle; None where it has none."""
        if not self.running or self._episode is None or self._view is None:
            return None
        oracle = oracle_for(self._episode.page)
        action = None if oracle is None else oracle(Situation(self._episode.goal, self._view))
        return None if action is None else self._told([action])[0]

    def _told(self, actions: list[str]) -> list[str]:
        """Actions in the form of the setting."""
        assert self._view is not None
        if not self._names:
            return actions
        phrase_of = {id: phrase for phrase, id in phrases(self._view).items()}
        return [named(action, phrase_of) for action in actions]

    def _observation(self, notes: tuple[str, ...] = (), *, over: bool = False) -> Observation:
        assert self._episode is not None
        assert self._view is not None
        if over:
            text = "\n".join(notes)
        else:
            lines = [line_of(element)[1:] for element in self._view.elements[1:]]
            text = "\n".join([f"Goal: {self._episode.goal}", *(f"Note: {note}" for note in notes), *lines])
        if not self._image:
            return text
        assert self._view.image is not None
        return {"text": text, "image": self._view.image.copy()}

    def _info(self, score: float = 0.0, *, read: bool = True) -> Info:
        assert self._view is not None
        seen = f"{self.task and self.task.id}|{self._view.text}"
        key = hashlib.blake2b(seen.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return {"score": score, "success": score == 1.0, "understood": read, "state_key": key}
