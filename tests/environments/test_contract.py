"""Every registered world keeps the contract."""

import pytest

from agentgym_rl.environments.checks import CHECKS
from agentgym_rl.environments.registry import registered

WORLDS = [(id, {}) for id in registered()] + [("textcraft", {"distractors": 0}), ("babyai", {"image": True})]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("id", "settings"), WORLDS, ids=str)
def test_contract(check, id, settings):
    check(id, settings)
