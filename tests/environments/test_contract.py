"""Every registered world keeps the contract, and so do the variants that settings make of them."""

import pytest

from agentgym_rl.environments.checks import CHECKS, check_gymnasium, check_misuse, check_odd_actions, check_wrappers
from agentgym_rl.environments.registry import registered

HOSTED = {"webarena"}
"""Worlds of what the user hosts: their own tests run the checks, on what those start."""


PLAYED_ELSEWHERE = {"miniwob", "sciworld"}
"""Worlds that take long to play: their own tests run the checks, on the quickest of their tasks."""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("id", [id for id in registered() if id not in HOSTED | PLAYED_ELSEWHERE])
def test_contract(check, id):
    check(id, {})


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract_without_distractors(check):
    check("textcraft", {"distractors": 0})


@pytest.mark.parametrize("check", [check_gymnasium, check_misuse, check_odd_actions, check_wrappers])
def test_contract_with_pictures(check):
    check("babyai", {"image": True})
