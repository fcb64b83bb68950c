"""Published AgentGym servers as worlds: recorded exchanges, quirks, faults."""

import asyncio
import json
from pathlib import Path

import pytest

import agentgym_rl
from agentgym_rl.environments.adapters.agentgym.wires import WIRES
from agentgym_rl.environments.aio.from_sync import from_sync
from agentgym_rl.environments.errors import DeadlinePassed, EnvironmentFault, UnknownEnvironment
from agentgym_rl.environments.registry import environment_class
from agentgym_rl.environments.task_set import SPLITS

EXCHANGES = Path(__file__).parent / "exchanges"
TOOLS = ("weather", "movie", "academia", "todo", "sheet")
CREATED = {"ask": "POST /create", "body": {"commands": None, "goal": None}, "answer": {"id": 0}}
BEGUN = {
    "ask": "POST /reset",
    "body": {"id": 0, "data_idx": 0},
    "answer": {"id": 0, "observation": "Goal: craft stick.", "done": False, "reward": 0},
}
CLOSED = {"ask": "POST /close", "body": {"id": 0}, "answer": True}
STEP = {"ask": "POST /step", "body": {"id": 0, "action": "inventory"}}
FIRST = {"options": {"task": "textcraft_0"}}


def test_every_kind_of_server_has_a_recording():
    assert {path.stem for path in EXCHANGES.glob("*.json")} == set(WIRES) - set(TOOLS[1:])


@pytest.mark.parametrize("name", sorted(WIRES))
def test_a_recorded_episode(recorded, replaying, name):
    record = recorded("weather" if name in TOOLS else name)
    task = f"{name}_{record['item']}"
    with replaying(record["exchanges"]) as (server, replay):
        with agentgym_rl.make(f"agentgym:{name}", server=server) as world:
            observation, info = world.reset(seed=0, options={"task": task})
            assert observation == record["opening"]
            assert info == {"score": 0.0, "success": False, "understood": True, "state_key": None}
            if "admissible" in record:
                assert world.admissible_actions() == record["admissible"]
            for turn in record["turns"]:
                if turn.get("again"):
                    world.reset(seed=0, options={"task": task})
                observation, reward, terminated, truncated, info = world.step(turn["action"])
                assert observation == turn["observation"]
                assert reward == pytest.approx(turn["reward"])
                assert info["score"] == pytest.approx(turn["score"])
                assert info["success"] == turn.get("success", False)
                assert info["understood"] == turn.get("understood", True)
                assert (terminated, truncated) == (turn.get("terminated", False), turn.get("truncated", False))
                if "admissible" in turn:
                    assert world.admissible_actions() == turn["admissible"]
        assert not replay.surprises
        assert not replay.left


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"answer": {"error": "No such id: 0"}}, "answers with an error: No such id: 0"),
        ({"answer": {"observation": "Got it", "done": False}}, "has no number 'reward'"),
        ({"answer": {"observation": "Got it", "done": False, "reward": "1"}}, "has no number 'reward'"),
        ({"answer": {"observation": None, "done": False, "reward": 0}}, "has no text 'observation'"),
        ({"answer": {"observation": "Got it", "done": "no", "reward": 0}}, "has no boolean 'done'"),
        ({"answer": ["Got it"]}, "has no 'observation'"),
        ({"raw": '{"observation": "Got it", "done": false, "reward": NaN}'}, "has no number 'reward'"),
        ({"raw": "<html>Bad gateway</html>"}, "answers with no JSON: <html>Bad gateway</html>"),
        ({"status": 500, "raw": "Internal Server Error"}, "answers with status 500: Internal Server Error"),
        ({"status": 422, "answer": {"detail": "field required"}}, "answers with status 422"),
    ],
)
def test_what_is_no_answer_is_a_fault_and_never_a_reward(replaying, answer, message):
    again = [{**CREATED, "answer": {"id": 1}}, {**BEGUN, "body": {"id": 1, "data_idx": 0}}]
    exchanges = [CREATED, BEGUN, {**STEP, **answer}, CLOSED, *again, {**CLOSED, "body": {"id": 1}}]
    with replaying(exchanges) as (server, replay):
        with agentgym_rl.make("agentgym:textcraft", server=server) as world:
            world.reset(seed=0, **FIRST)
            with pytest.raises(EnvironmentFault, match=message):
                world.step("inventory")
            assert not world.running
            assert world.reset(seed=0, **FIRST)[0] == "Goal: craft stick."
        assert not replay.surprises
        assert not replay.left


@pytest.mark.parametrize(
    ("exchanges", "message"),
    [
        ([{**CREATED, "answer": {"error": "no memory"}}], "answers with an error: no memory"),
        ([{**CREATED, "answer": {"id": "zero"}}], "has no number of an environment"),
        ([{**CREATED, "answer": True}], "has no number of an environment"),
        ([CREATED, {**BEGUN, "answer": {"error": "index out of range"}}, CLOSED], "index out of range"),
    ],
)
def test_a_reset_that_fails_is_a_fault(replaying, exchanges, message):
    with replaying(exchanges) as (server, replay):
        world = agentgym_rl.make("agentgym:textcraft", server=server)
        with pytest.raises(EnvironmentFault, match=message):
            world.reset(seed=0, **FIRST)
        assert not replay.surprises
        assert not replay.left


def test_a_browser_that_did_not_open_is_a_fault(replaying):
    begun = {
        "ask": "POST /reset",
        "body": {"env_idx": 0, "seed": 0, "idx": 5},
        "answer": {"observation": "TimeoutError", "sites": None, "object": None},
    }
    closed = {"ask": "POST /close", "body": {"env_idx": 0}, "answer": {"closed": "closed"}}
    with replaying([{"ask": "POST /create", "answer": {"env_idx": 0}}, begun, closed]) as (server, replay):
        world = agentgym_rl.make("agentgym:webarena", server=server)
        with pytest.raises(EnvironmentFault, match="the reset to item 5 failed: TimeoutError"):
            world.reset(seed=0, options={"task": "webarena_5"})
        assert not replay.surprises
        assert not replay.left


def test_a_server_that_is_silent_is_a_fault_at_the_deadline(replaying):
    with (
        replaying([CREATED, BEGUN, {**STEP, "silent": True, "answer": {}}, CLOSED]) as (server, _),
        agentgym_rl.make("agentgym:textcraft", server=server, step_seconds=0.2) as world,
    ):
        world.reset(seed=0, **FIRST)
        with pytest.raises(DeadlinePassed, match=r"/step took longer than 0\.2 s"):
            world.step("inventory")


def test_a_server_that_is_gone_is_a_fault():
    with pytest.raises(EnvironmentFault, match=r"http://127\.0\.0\.1:1 does not answer"):
        agentgym_rl.make("agentgym:textcraft", server="http://127.0.0.1:1").reset(seed=0, **FIRST)


def test_a_busy_server_is_asked_again(replaying):
    busy = {**STEP, "status": 503, "answer": "busy"}
    done = {**STEP, "answer": {"observation": "Inventory: ", "reward": 0, "done": False}}
    with replaying([CREATED, BEGUN, busy, busy, done, CLOSED]) as (server, replay):
        with agentgym_rl.make("agentgym:textcraft", server=server) as world:
            world.reset(seed=0, **FIRST)
            assert world.step("inventory")[0] == "Inventory: "
        assert not replay.surprises


def test_what_utf_8_can_not_write_is_sent_as_a_question_mark(replaying):
    step = {"ask": "POST /step", "body": {"id": 0, "action": "get \U0001f600 ?"}}
    answer = {"answer": {"observation": "Could not execute", "reward": 0, "done": False}}
    with replaying([CREATED, BEGUN, {**step, **answer}, CLOSED]) as (server, replay):
        with agentgym_rl.make("agentgym:textcraft", server=server) as world:
            world.reset(seed=0, **FIRST)
            world.step("get \U0001f600 \ud83d")
        assert not replay.surprises


def test_the_token_is_sent_where_there_is_one(replaying, monkeypatch):
    monkeypatch.setenv("AGENTGYM_RL_TOKEN", "a secret of this test")
    with (
        replaying([CREATED, BEGUN, CLOSED]) as (server, replay),
        agentgym_rl.make("agentgym:textcraft", server=server) as world,
    ):
        world.reset(seed=0, **FIRST)
        assert replay.headers[0]["Authorization"] == "Bearer a secret of this test"


def test_on_a_thread_it_is_an_environment_for_rollouts(replaying):
    done = {**STEP, "answer": {"observation": "Crafted", "reward": 1, "done": True}}

    async def play(server):
        world = environment_class("agentgym:textcraft")(server=server)
        task = agentgym_rl.tasks("agentgym:textcraft", "train", items={"train": [0]})[0]
        environment = from_sync(world, "thread")
        await environment.reset(task, 0)
        transition = await environment.step("inventory")
        await environment.close()
        return transition

    with replaying([CREATED, BEGUN, done, CLOSED]) as (server, replay):
        assert asyncio.run(play(server)).reward == 1.0
        assert not replay.left


@pytest.mark.parametrize("name", sorted(WIRES))
def test_splits_share_no_item(name):
    sets = {split: agentgym_rl.tasks(f"agentgym:{name}", split) for split in SPLITS}
    items = [task.data["item"] for found in sets.values() for task in found]
    assert len(set(items)) == len(items)
    assert all(len(found) for found in sets.values())
    assert all(task.id == f"{name}_{task.data['item']}" for task in sets["test"])


def test_published_splits_are_kept():
    assert {task.data["item"] for task in agentgym_rl.tasks("agentgym:alfworld", "test")} == set(range(2420, 2620))
    searchqa = agentgym_rl.tasks("agentgym:searchqa", "test")
    assert len(searchqa) == 51713
    assert len(searchqa.filter("Bamboogle")) == 125
    assert searchqa["searchqa_29190"].category == "HotpotQA"


def test_numbers_of_levels_and_tasks():
    babyai = agentgym_rl.tasks("agentgym:babyai", "train")
    assert babyai[0].data["item"] % 40 == 0
    assert {task.category for task in babyai if task.data["item"] % 40 == 30} == {"FindObjS7"}
    sciworld = {
        task.data["item"]: task.category for split in SPLITS for task in agentgym_rl.tasks("agentgym:sciworld", split)
    }
    assert len(sciworld) == 4639
    assert [sciworld[item] for item in (1095, 1096, 4240, 4638)] == [
        "measure-melting-point-known-substance",
        "measure-melting-point-unknown-substance",
        "lifespan-longest-lived",
        "identify-life-stages-2",
    ]


def test_published_lists_are_read_and_what_is_evaluated_is_not_trained_on(tmp_path):
    train = tmp_path / "textcraft_train.json"
    train.write_text(json.dumps([{"item_id": "textcraft_5"}, {"item_id": "textcraft_6"}]))
    items = {"train": str(train), "test": [6, "textcraft_7"]}
    found = {split: agentgym_rl.tasks("agentgym:textcraft", split, items=items) for split in SPLITS}
    assert [task.id for task in found["train"]] == ["textcraft_5"]
    assert [task.id for task in found["test"]] == ["textcraft_6", "textcraft_7"]
    assert {"textcraft_5", "textcraft_6", "textcraft_7"}.isdisjoint(task.id for task in found["validation"])
    assert len(found["validation"]) > 20


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"train": [544]}, "items has 544, which there is not"),
        ({"training": [1]}, "items has no split 'training'; known: train, validation, test"),
        ({"test": "no_such_file.json"}, "no_such_file.json can't be read"),
        ({"test": [1.5]}, "items has 1.5: write a number or textcraft_NUMBER"),
        ({"test": 3}, "items needs lists, not 3"),
    ],
)
def test_items_that_are_none(items, message):
    with pytest.raises(ValueError, match=message):
        agentgym_rl.tasks("agentgym:textcraft", "test", items=items)


def test_what_is_refused_says_why():
    with pytest.raises(
        UnknownEnvironment, match="'agentgym:textcarft': no such AgentGym server is known; nearest: textcraft"
    ):
        agentgym_rl.make("agentgym:textcarft")
    with pytest.raises(ValueError, match="give server=http://HOST:PORT"):
        agentgym_rl.make("agentgym:textcraft")
    with pytest.raises(ValueError, match="is no server's address"):
        agentgym_rl.make("agentgym:textcraft", server="localhost:8000")
    with pytest.raises(ValueError, match="no setting 'sever'; nearest: server"):
        agentgym_rl.make("agentgym:textcraft", sever="http://localhost:8000")
