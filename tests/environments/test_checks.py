"""Each check passes a world that keeps the contract and finds the one that does not."""

from pathlib import Path

import pytest

from agentgym_rl.environments import checks
from agentgym_rl.environments.checks import ContractBroken, check_world


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent)


def test_a_world_that_keeps_the_contract_passes():
    check_world("checks_worlds:Door", wood="pine")


@pytest.mark.parametrize(
    ("world", "check", "message"),
    [
        ("ForgetsSettings", "gymnasium", "spec.make"),
        ("SharedContent", "tasks", "shares a task's content"),
        ("WrongSplit", "tasks", "validation says it is of another split"),
        ("StepsBeforeReset", "misuse", "step before reset does not raise ResetNeeded"),
        ("PaysForNothing", "odd_actions", "meaningless actions earn"),
        ("EchoesEverything", "odd_actions", "a long action makes a long observation"),
        ("LacksInfo", "odd_actions", "info lacks .'state_key'"),
        ("PaysTwice", "rewards", "rewards add up to 2.0, score 1.0"),
        ("LazyOracle", "expert", "the oracle does not solve it"),
        ("OffersNonsense", "admissible", "'dance' is offered after .* but not understood"),
        ("OffersNothing", "admissible", "nothing is admissible"),
        ("OffersTwice", "admissible", "offered twice"),
        ("OffersLess", "admissible", "the oracle's 'open' is not offered"),
        ("SeedInTheFirstObservation", "repeatable", "depends on the seed"),
        ("Remembers", "repeatable", "a second run in this process differs"),
        ("HashSeed", "repeatable", "another hash seed differs"),
    ],
)
def test_a_broken_world_is_found(world, check, message):
    with pytest.raises(ContractBroken, match=message):
        getattr(checks, f"check_{check}")(f"checks_worlds:{world}", {})


def test_an_exception_on_odd_text_is_not_hidden():
    with pytest.raises(UnicodeEncodeError):
        checks.check_odd_actions("checks_worlds:ChokesOnText", {})
