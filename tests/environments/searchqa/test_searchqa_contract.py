"""The world keeps the contract on a server, in worker processes, and with its settings; whole episodes are the same everywhere."""

import asyncio

import pytest

import agentgym_rl
from agentgym_rl.agents.formats import format_named
from agentgym_rl.environments.aio import from_sync
from agentgym_rl.environments.checks import (
    CHECKS,
    check_gymnasium,
    check_misuse,
    check_odd_actions,
    check_rewards,
    check_wrappers,
)
from agentgym_rl.environments.playing import episode_digest
from agentgym_rl.environments.searchqa.actions import SCHEMA, Answer, Search, read_action


@pytest.fixture(scope="module")
def server(serving):
    with serving("searchqa", allow_expert=True) as found:
        yield found


@pytest.fixture(scope="module")
def server_with_workers(serving):
    with serving("searchqa", allow_expert=True, workers=2) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract_over_http(server, check):
    check(f"{server}/searchqa", {})


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract_over_http_in_worker_processes(server_with_workers, check):
    check(f"{server_with_workers}/searchqa", {})


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"searches": 2, "queries_offered": 5, "answers_offered": 6, "topk": 1, "tokens": 70}, {"attempts": None}],
    ids=str,
)
@pytest.mark.parametrize("check", [check_gymnasium, check_misuse, check_odd_actions, check_rewards, check_wrappers])
def test_contract_with_settings(check, settings):
    check("searchqa", settings)


def test_an_episode_over_http_is_the_one_in_process(server):
    assert episode_digest(f"{server}/searchqa", {"topk": 2}) == episode_digest("searchqa", {"topk": 2})


@pytest.mark.slow
def test_an_episode_in_a_process_of_its_own():
    task = agentgym_rl.tasks("searchqa", "test")[0]

    async def play(runner):
        world = from_sync(agentgym_rl.make("searchqa"), runner, reset_seconds=120, step_seconds=60)
        try:
            first = await world.reset(task, 0, admissible=True)
            after = await world.step(first.admissible[0], admissible=True)
            return first.text, after.text, after.admissible
        finally:
            await world.close()

    assert asyncio.run(play("process")) == asyncio.run(play("inline"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tags", "<think>Search first.</think>\n<search>{}</search>"),
        ("react", "Thought: search first\nAction: search[{}]"),
        ("function_calling", '{{"name": "search", "arguments": {{"query": "{}"}}}}'),
        ("code", "search(query='{}')"),
        ("raw", "search[{}]"),
        ("backticks", "So: ```search[{}]```"),
    ],
)
@pytest.mark.parametrize("query", ["Chad capital", "a] answer[b", "Ħumāt ad-Diyār"])
def test_formats_carry_searches_and_answers(name, message, query):
    found = format_named(name, SCHEMA)
    assert read_action(found.read(message.format(query)).action) == Search(query)
    assert read_action(found.read(found.write(f"answer[{query}]")).action) == Answer(query)


def test_of_several_tags_the_first_counts():
    found = format_named("tags", SCHEMA)
    reading = found.read("<think><answer>no</answer></think><search>one</search><search>two</search><answer>three</answer>")
    assert reading.action == "search[one]"
    assert found.read("<answer>a <search>b</search></answer>").action == "answer[a <search>b</search>]"
