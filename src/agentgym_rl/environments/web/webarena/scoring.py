"""Scores an episode at its end, by the evaluators of its task's list."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym_rl.environments.web.webarena.accounts import Account
from agentgym_rl.environments.web.webarena.addresses import Addresses
from agentgym_rl.environments.web.webarena.catalog import KINDS
from agentgym_rl.environments.web.webarena.original.answers import string_match
from agentgym_rl.environments.web.webarena.original.judge import Judge
from agentgym_rl.environments.web.webarena.original.pages import PageReader
from agentgym_rl.environments.web.webarena.original.shop import Shop
from agentgym_rl.environments.web.webarena.original.urls import url_match
from agentgym_rl.environments.web.webarena.task_file import OriginalTask, VerifiedTask
from agentgym_rl.environments.web.webarena.unsent import unsent_forms
from agentgym_rl.environments.web.webarena.verified.answers import agent_response
from agentgym_rl.environments.web.webarena.verified.client import shared_worker

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page


@dataclass(frozen=True, slots=True)
class Score:
    """1 or 0, and why not 1."""

    value: float
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How an episode ended."""

    answer: str
    """What the agent gave to ``stop``, with real addresses."""
    context: BrowserContext
    """The session that the agent used, still open."""
    last: Page
    """The page it ended on."""
    addresses: Addresses
    events: Sequence[Mapping[str, Any]]
    """Its requests, as entries of an HTTP archive."""


async def score_original(task: OriginalTask, ending: Ending, judge: Judge | None, administrator: Account) -> Score:
    """The product of what the task's ``eval_types`` give; the cheap ones first, and none after a 0.

    Raises:
        EnvironmentFault: a site or the judge does not answer.
    """
    evaluation, addresses = task.eval, ending.addresses
    kinds, answers = evaluation.eval_types, evaluation.reference_answers
    if "string_match" in kinds and answers is not None:
        note = evaluation.string_note
        if not await asyncio.to_thread(string_match, answers, ending.answer, task.intent, note, judge):
            return Score(0.0, ("string_match: another answer was wanted",))
    if "url_match" in kinds and not url_match(addresses.filled(evaluation.reference_url or ""), ending.last.url):
        return Score(0.0, ("url_match: the episode had to end on another page",))
    if "program_html" in kinds:
        shop = Shop(addresses.real["shopping"], administrator) if "shopping" in addresses.real else None
        reader = PageReader(ending.context, ending.last, addresses, shop)
        if not await reader.program_html(evaluation.program_html):
            return Score(0.0, ("program_html: a page lacks what it had to hold",))
    return Score(1.0)


async def score_verified(task: VerifiedTask, ending: Ending, task_file: Path | None) -> Score:
    """What webarena-verified gives.

    Raises:
        EnvironmentFault: its worker broke or did not answer.
    """
    sites = {KINDS[site].placeholder: url for site, url in ending.addresses.real.items()}
    answer = agent_response(ending.answer, task.kind)
    events = [*ending.events, *(await unsent_forms(ending.last) if task.wants_unsent else ())]
    verdict = await asyncio.to_thread(shared_worker(task_file).evaluate, task.task_id, answer, events, sites)
    return Score(verdict.score, () if verdict.score == 1.0 else verdict.messages)
