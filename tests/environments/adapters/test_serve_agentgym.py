"""``agentgym-rl serve --agentgym``: this package's worlds for clients that speak the published format."""

import concurrent.futures
import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode

import pytest

import agentgym_rl
from agentgym_rl.environments.checks import CHECKS
from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.service.agentgym.worlds import BABYAI, textcraft_goals
from agentgym_rl.environments.task_set import SPLITS

TOKEN = "the_token_of_these_tests"


def ask(address, path, content=None, **headers):
    """Status and content of the answer, to a published client's request: GET without content, else POST."""
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(
        address + path, data, {"Content-Type": "application/json", **headers}, method="GET" if content is None else "POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def good(address, path, content=None):
    status, answer = ask(address, path, content)
    assert status == 200, answer
    return answer


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ["textcraft", "babyai"])
def test_our_client_keeps_the_contract_on_our_server(name, check, request):
    check(f"agentgym:{name}", {"server": request.getfixturevalue(f"published_{name}")})


def test_what_a_published_textcraft_client_asks(published_textcraft):
    assert isinstance(good(published_textcraft, "/"), str)
    made = good(published_textcraft, "/create", {"minecraft_dir": "agentenv_textcraft/", "commands": None, "goal": None})
    number = made.pop("id")
    assert set(made) == {"observation", "done", "reward"}
    assert (made["done"], made["reward"]) == (False, 0)
    begun = good(published_textcraft, "/reset", {"id": number, "data_idx": 0})
    assert begun == {
        "id": number,
        "observation": begun["observation"],
        "done": False,
        "reward": 0,
    }
    assert begun["observation"].startswith("Crafting commands:\ncraft ")
    goal = textcraft_goals()[0].replace("_", " ")
    assert begun["observation"].endswith(f"Goal: craft {goal}.")

    def step(action):
        return good(published_textcraft, "/step", {"id": number, "action": action})

    assert step("") == {"observation": step("")["observation"], "reward": 0, "done": False}
    assert step("")["observation"].startswith("Could not execute")
    assert step("get 2 oak log") == {"observation": "Got 2 oak log", "reward": 0, "done": False}
    assert good(published_textcraft, f"/observation?id={number}") == "Got 2 oak log"
    assert good(published_textcraft, f"/detail?id={number}") == {
        "observation": "Got 2 oak log",
        "reward": 0,
        "done": False,
        "deleted": False,
    }
    assert good(published_textcraft, "/close", {"id": number}) is True
    assert good(published_textcraft, "/close", {"id": number}) is False


def test_an_episode_of_textcraft_is_won_and_stays_so(published_textcraft):
    place = textcraft_goals().index("oak_planks")
    number = good(published_textcraft, "/create", {})["id"]
    good(published_textcraft, "/reset", {"id": number, "data_idx": place + len(textcraft_goals())})
    answers = [
        good(published_textcraft, "/step", {"id": number, "action": action})
        for action in ("get 1 oak log", "craft 4 oak planks using 1 oak log", "inventory")
    ]
    won = {"observation": "Crafted 4 oak planks", "reward": 1, "done": True}
    assert answers[1:] == [won, won]


def test_items_of_textcraft_are_all_goals_by_depth():
    goals = textcraft_goals()
    tasks = {task.id: task for split in SPLITS for task in agentgym_rl.tasks("textcraft", split)}
    assert set(goals) == set(tasks)
    depths = [tasks[goal].category for goal in goals]
    assert depths == sorted(depths)


def test_what_a_published_babyai_client_asks(published_babyai):
    number = good(published_babyai, "/create", {})
    assert set(number) == {"id"}
    status, problem = ask(published_babyai, "/step", {**number, "action": "turn left"})
    assert (status, problem["code"]) == (409, "episode_over")
    begun = good(published_babyai, "/reset", {**number, "data_idx": 40 * 210 + 18})  # PickupLoc, at a seed of no task
    assert set(begun) == {"id", "observation", "reward", "score", "deleted", "done"}
    assert (begun["reward"], begun["score"], begun["done"], begun["deleted"]) == (0, 0, False, False)
    assert begun["observation"].startswith("Goal: pick up ")
    available = json.loads(begun["observation"].rpartition("Available actions: ")[2])
    assert available[-1] == "check available actions"

    def step(action):
        return good(published_babyai, "/step", {**number, "action": action})

    assert step("check available actions") == {
        "observation": begun["observation"],
        "reward": 0.0,
        "score": 0.0,
        "done": False,
    }
    assert set(step("turn left")) == {"observation", "reward", "score", "done"}
    assert good(published_babyai, f"/observation?id={number['id']}")["deleted"] is False
    assert step("dance")["observation"].startswith("That is no action here.")


def test_a_level_of_babyai_is_the_one_in_process(published_babyai):
    """Played by the oracle, which knows the level by the number that the format gives it."""
    with agentgym_rl.make("babyai") as near:
        number = good(published_babyai, "/create", {})["id"]
        good(published_babyai, "/reset", {"id": number, "data_idx": 40 * 7 + 30})
        near.reset(seed=0, options={"task": "FindObjS7/7"})
        while near.running:
            action = near.expert_action()
            _, reward, _, _, info = near.step(action)
            far = good(published_babyai, "/step", {"id": number, "action": action.replace("pick up", "pickup")})
            assert (far["reward"], far["score"]) == (reward, info["score"])
        assert info["success"]
        assert far["done"]
        assert ask(published_babyai, "/step", {"id": number, "action": "turn left"})[0] == 409


@pytest.mark.parametrize("named", ["go through red open door 1", "go through red door 1"])
def test_published_names_of_doors_are_understood(named):
    assert BABYAI.reads(named) == "go through red door 1"
    assert BABYAI.reads("Toggle and go through blue locked door 2") == "toggle and go through blue door 2"


@pytest.mark.parametrize(
    ("path", "content", "status", "said"),
    [
        ("/step", {"id": 999, "action": "inventory"}, 404, "does not exist, or its lease has expired"),
        ("/reset", {"id": -1, "data_idx": 0}, 400, "body.id=-1"),
        ("/reset", {"id": 0, "data_idx": -3}, 400, "body.data_idx=-3"),
        ("/reset", {"id": "0"}, 400, "body.id='0'"),
        ("/step", {"id": 0}, 400, "body.action"),
        ("/observation?id=x", None, 400, "query.id='x'"),
        ("/nothing", None, 404, "Not Found"),
    ],
)
def test_failures_have_a_status_of_their_own(published_textcraft, path, content, status, said):
    answered, problem = ask(published_textcraft, path, content)
    assert answered == status
    assert said in problem["detail"]


def test_an_environment_that_is_gone_over_there_is_a_fault_and_the_next_reset_makes_another(serving_published):
    with (
        serving_published("textcraft") as address,
        agentgym_rl.make("agentgym:textcraft", server=address) as world,
    ):
        world.reset(seed=0)
        assert good(address, "/close", {"id": 0})
        with pytest.raises(EnvironmentFault, match="its lease has expired"):
            world.step("inventory")
        world.reset(seed=0)
        assert world.step("inventory")[4]["understood"]


def test_a_full_server_lets_clients_wait_and_says_so(serving_published):
    with serving_published("textcraft", sessions=1) as address:
        good(address, "/create", {})
        assert ask(address, "/create", {})[0] == 503
        with pytest.raises(EnvironmentFault, match=r"/create took longer than 0\.2 s"):
            agentgym_rl.make("agentgym:textcraft", server=address, reset_seconds=0.2).reset(seed=0)


def test_many_clients_at_once_get_episodes_of_their_own(published_textcraft):
    def play(place):
        number = good(published_textcraft, "/create", {})["id"]
        begun = good(published_textcraft, "/reset", {"id": number, "data_idx": place})["observation"]
        for count in range(1, 4):
            good(published_textcraft, "/step", {"id": number, "action": f"get {place + 1} oak log"})
            held = good(published_textcraft, "/step", {"id": number, "action": "inventory"})["observation"]
            assert held == f"Inventory: [oak log] ({count * (place + 1)})"
        return number, begun

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        found = list(threads.map(play, range(8)))
    assert len({number for number, _ in found}) == 8
    assert len({begun for _, begun in found}) == 8


def test_published_clients_send_the_token_as_a_password(serving_published, monkeypatch):
    with serving_published("textcraft", token=TOKEN) as address:
        assert ask(address, "/create", {})[0] == 401
        for wrong in ("Basic !", f"Basic {b64encode(b'any:wrong').decode()}", "Bearer wrong"):
            assert ask(address, "/create", {}, Authorization=wrong)[0] == 401
        password = b64encode(b"any:" + TOKEN.encode()).decode()
        assert ask(address, "/create", {}, Authorization=f"Basic {password}")[0] == 200
        monkeypatch.setenv("AGENTGYM_RL_TOKEN", TOKEN)
        with agentgym_rl.make("agentgym:textcraft", server=address) as world:
            world.reset(seed=0)


def test_worlds_run_in_workers(serving_published):
    with (
        serving_published("textcraft", workers=1) as address,
        agentgym_rl.make("agentgym:textcraft", server=address) as world,
    ):
        world.reset(seed=0)
        assert world.step("get 1 oak log")[0] == "Got 1 oak log"


def serve(*arguments):
    """``agentgym-rl serve --agentgym`` in a process of its own."""
    command = [sys.executable, "-m", "agentgym_rl.cli", "serve", "--agentgym", "--port", "0", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_serves_until_it_is_stopped():
    with serve("textcraft", "--log-level", "error") as process:
        try:
            address = process.stdout.readline().strip()
            with agentgym_rl.make("agentgym:textcraft", server=address) as world:
                world.reset(seed=0)
                assert world.step("get 1 oak log")[0] == "Got 1 oak log"
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("textcraft", "babyai"), "--agentgym serves one environment, textcraft or babyai, not textcraft babyai"),
        (("gymnasium:Taxi-v4",), "--agentgym serves one environment, textcraft or babyai, not gymnasium:Taxi-v4"),
        (("textcraft", "--allow-expert"), "--allow-expert would do nothing with --agentgym"),
    ],
)
def test_what_does_not_start_says_why(arguments, message):
    with serve(*arguments) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert message in errors
