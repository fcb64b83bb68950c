"""The WebArena environment: tasks on real web sites, which the user hosts."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from agentgym_rl.environments.protocol import Environment, Info, Observation
from agentgym_rl.environments.spaces import text_and_image
from agentgym_rl.environments.task_set import Split, Task, TaskSet
from agentgym_rl.environments.web.browser import View, find_chromium, run
from agentgym_rl.environments.web.browser.grammar import ACTION_SCHEMA
from agentgym_rl.environments.web.webarena import SUMMARY
from agentgym_rl.environments.web.webarena.accounts import read_accounts, without_passwords
from agentgym_rl.environments.web.webarena.episode import Episode
from agentgym_rl.environments.web.webarena.needs import require_playwright
from agentgym_rl.environments.web.webarena.options import Options, read_options
from agentgym_rl.environments.web.webarena.prompts import instructions_for, observation_text
from agentgym_rl.environments.web.webarena.reachable import require, require_logins
from agentgym_rl.environments.web.webarena.scoring import Score
from agentgym_rl.environments.web.webarena.task_list import Selection, task_set, tasks_of
from agentgym_rl.environments.web.webarena.verified.client import start_evaluators

log = logging.getLogger(__name__)
_told: set[str] = set()


class WebArena(Environment):
    """WebArena (Zhou et al. 2023, arXiv:2307.13854).

    Args:
        sites: where they are: ``{shopping: url | [url, ...] | {url, control, reset}}``; what it lacks comes from ``SHOPPING``,
            ``WA_SHOPPING`` and so on. Tasks on other sites are left out.
        evaluators: ``verified`` (re-audited tasks, rules only) or ``original``; each has its own task list.
        judge: ``{model, base_url, api_key_variable}`` of the server that scores the 82 original tasks which no rule decides;
            without one they are left out.
        task_file: tasks of the user's own, in the form that ``evaluators`` reads.
        items: numbers by split, or files with them, in place of our own split.
        accounts: a file with usernames and passwords of the sites; by default those of the published images.
        share: episodes use a replica at the same time, and see each other's changes.
        reset: when a site that can be reset is: before an episode when the last one ``changed`` it, or ``always``.
        reset_seconds: how long a reset may take, the site's coming back included.
        wait_seconds: how long an episode waits for a replica.
        hosts: further hosts that pages may load from, such as the map's tiles.
        scope: an observation holds the ``viewport`` or the whole ``page``.
        tokens: at most so many of them in an observation; null: no limit.
        image: observations are ``{"text": str, "image": uint8[720, 1280, 3]}``, with a screenshot.
        browser: the Chromium to use.

    Raises:
        ValueError: a setting that is wrong, or no site.
        SiteProblem: a site that does not answer, is another than it should be, or refuses the login.
        MissingExtra: there is no browser, or Playwright is not installed.
        VerifiedMissing: the package with the tasks is not installed.
        TaskFileError: the user's own tasks can't be read.
    """

    id: ClassVar[str] = "webarena"
    summary: ClassVar[str] = SUMMARY
    extra: ClassVar[str | None] = "web"
    deterministic: ClassVar[bool] = False
    waits: ClassVar[bool] = True
    operator_settings: ClassVar[frozenset[str]] = frozenset(
        {"sites", "judge", "task_file", "items", "accounts", "hosts", "reset", "reset_seconds", "share", "browser"}
    )
    action_schema = ACTION_SCHEMA

    def __init__(
        self,
        *,
        sites: Mapping[str, Any] | None = None,
        evaluators: Literal["verified", "original"] = "verified",
        judge: Mapping[str, str] | None = None,
        task_file: str | None = None,
        items: Mapping[str, Any] | None = None,
        accounts: str | None = None,
        share: bool = False,
        reset: Literal["changed", "always"] = "changed",
        reset_seconds: float = 300.0,
        wait_seconds: float = 50.0,
        hosts: Sequence[str] = (),
        scope: Literal["viewport", "page"] = "viewport",
        tokens: int | None = 4000,
        image: bool = False,
        browser: str | None = None,
    ) -> None:
        super().__init__(
            sites=sites,
            evaluators=evaluators,
            judge=judge,
            task_file=task_file,
            items=items,
            accounts=accounts,
            share=share,
            reset=reset,
            reset_seconds=reset_seconds,
            wait_seconds=wait_seconds,
            hosts=hosts,
            scope=scope,
            tokens=tokens,
            image=image,
            browser=browser,
        )
        self._options = options = read_options(self.settings)
        self._numbers = frozenset(options.selection.numbers)
        self._accounts = read_accounts(accounts)
        require_playwright()
        find_chromium(browser)
        if options.source.evaluators == "verified":
            start_evaluators(options.task_file)
        replicas = [replica for replicas in options.sites.values() for replica in replicas]
        require(replicas)
        require_logins(replicas, self._accounts, options.browser)
        self.instructions = instructions_for(evaluators)
        self._image = image
        if image:
            self.observation_space = text_and_image(options.browser.height, options.browser.width)
        self._episode: Episode | None = None

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The tasks of a split that can be played on the sites there are. Asks no site."""
        options = read_options(settings)
        selection = options.selection
        _tell_once(options, selection)
        return task_set(options.source, selection, split, options.items)

    @classmethod
    def left_out(cls, **settings: Any) -> dict[str, list[str]]:
        """Ids of the tasks that these settings leave out, by reason."""
        options = read_options(settings)
        prefix = options.source.prefix
        return {
            reason: [f"{prefix}-{number}" for number in numbers] for reason, numbers in options.selection.left_out.items()
        }

    def admissible_actions(self) -> list[str] | None:
        """What can be done on the page as it was last observed."""
        if not self.running or self._episode is None:
            return None
        return self._episode.offers()

    def _begin(self, task: Task) -> tuple[Observation, Info]:
        number = task.data.get("number")
        if number not in self._numbers:
            raise ValueError(f"environment 'webarena': task {task.id} can't be played with these settings")
        self._free()
        found = tasks_of(self._options.source)[number]
        # In an event loop a wait would stop the very episodes that it waits for.
        wait = 0.0 if _in_event_loop() else self._options.wait_seconds
        self._episode = Episode(found, self._options, self._accounts, wait_seconds=wait)
        try:
            view = run(self._episode.begin())
        except BaseException:
            self._free()
            raise
        return self._observation(view), self._info(view, task)

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        assert self._episode is not None
        assert self.task is not None
        try:
            turn = run(self._episode.act(action))
        except BaseException:
            self.running = False
            self._free()
            raise
        if turn.score is None:
            return (
                self._observation(turn.view),
                0.0,
                False,
                False,
                self._info(turn.view, self.task, understood=turn.understood),
            )
        self._free()  # the replicas are wanted by others
        info = self._info(turn.view, self.task, score=turn.score)
        return self._observation(turn.view, over=True), turn.score.value, True, False, info

    def _free(self) -> None:
        if self._episode is not None:
            run(self._episode.close())

    def _observation(self, view: View, *, over: bool = False) -> Observation:
        assert self._episode is not None
        text = "The episode is over."
        if not over:
            text = without_passwords(observation_text(self._episode.task, self._episode.addresses, view), self._accounts)
        if not self._image:
            return text
        assert view.image is not None
        return {"text": text, "image": view.image}

    def _info(self, view: View, task: Task, *, understood: bool = True, score: Score | None = None) -> Info:
        assert self._episode is not None
        seen = f"{task.id}|{self._episode.addresses.shown(view.url)}|{self._episode.addresses.shown(view.text)}"
        key = hashlib.blake2b(seen.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        value = 0.0 if score is None else score.value
        info: Info = {"score": value, "success": value == 1.0, "understood": understood, "state_key": key}
        return info if score is None else {**info, "why_not": [without_passwords(why, self._accounts) for why in score.why]}  # type: ignore[typeddict-unknown-key]


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _tell_once(options: Options, selection: Selection) -> None:
    """Says which tasks are left out, once for each selection."""
    if not selection.left_out or (key := repr(selection)) in _told:
        return
    _told.add(key)
    reasons = "; ".join(f"{len(numbers)} for {reason}" for reason, numbers in selection.left_out.items())
    log.warning(
        "webarena: %d tasks of %s, others are left out: %s. Their names: agentgym-rl doctor web",
        len(selection.numbers),
        options.source.path.name,
        reasons,
    )
