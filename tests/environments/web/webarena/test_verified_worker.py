"""The process that scores by webarena-verified: what it says, and what becomes of one that dies or hangs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from stub_sites.task_lists import verified, written

from agentgym_rl.environments.errors import EnvironmentFault
from agentgym_rl.environments.web.webarena import WebArena
from agentgym_rl.environments.web.webarena.errors import TaskFileError, VerifiedMissing
from agentgym_rl.environments.web.webarena.verified import package as installed
from agentgym_rl.environments.web.webarena.verified.client import VerifiedWorker

SITES = {"__SHOPPING_ADMIN__": "http://h:7780/admin"}
EVENT = {
    "request": {"method": "GET", "url": "http://h:7780/admin", "headers": [{"name": "Accept", "value": "text/html"}]},
    "response": {"status": 200, "headers": [], "cookies": [], "redirectURL": "", "content": {}},
}
RIGHT = {"task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": ["quest lumaflex band"]}


@pytest.fixture
def worker(package):  # noqa: ARG001 - it runs there
    made = VerifiedWorker()
    yield made
    made.close()


@pytest.mark.slow
def test_verdicts_and_why(worker):
    assert worker.evaluate(0, RIGHT, [EVENT], SITES).score == 1.0
    wrong = worker.evaluate(0, {**RIGHT, "retrieved_data": ["Sprite Ball"]}, [EVENT], SITES)
    assert (wrong.score, wrong.status) == (0.0, "failure")
    assert wrong.messages
    malformed = worker.evaluate(0, {"status": "WHAT"}, [EVENT], SITES)
    assert malformed.score == 0.0


@pytest.mark.slow
def test_what_breaks_the_package_is_a_fault(worker):
    with pytest.raises(EnvironmentFault, match=r"webarena-verified broke on task 100000: .*Task with id 100000 not found"):
        worker.evaluate(100_000, RIGHT, [EVENT], SITES)
    assert worker.evaluate(0, RIGHT, [EVENT], SITES).score == 1.0


@pytest.mark.slow
def test_a_worker_that_dies_or_hangs_is_a_fault_and_replaced(worker, package):  # noqa: ARG001
    assert worker.evaluate(0, RIGHT, [EVENT], SITES).score == 1.0
    process = worker._process
    process.kill()
    process.wait()
    assert worker.evaluate(0, RIGHT, [EVENT], SITES).score == 1.0
    hanging = VerifiedWorker(seconds=0.2)
    try:
        hanging.evaluate(0, RIGHT, [EVENT], SITES)
        stopped = hanging._process
        os.kill(stopped.pid, signal.SIGSTOP)
        with pytest.raises(EnvironmentFault, match=r"webarena-verified does not answer within 0\.2 s"):
            hanging.evaluate(0, RIGHT, [EVENT], SITES)
        assert stopped.poll() is not None
        assert hanging.evaluate(0, RIGHT, [EVENT], SITES).score == 1.0
    finally:
        hanging.close()


@pytest.mark.slow
def test_it_ends_with_its_parent(package):  # noqa: ARG001
    code = (
        "from agentgym_rl.environments.web.webarena.verified.client import shared_worker\n"
        f"shared_worker(None).evaluate(0, {RIGHT!r}, [{EVENT!r}], {SITES!r})\n"
        "print(shared_worker(None)._process.pid)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert any(_ended(int(done.stdout)) for _ in range(1_000_000))


def _ended(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.slow
def test_tasks_of_the_users_own(package, make, tmp_path):  # noqa: ARG001
    answer = {
        "evaluator": "AgentResponseEvaluator",
        "results_schema": {"type": "array", "items": {"type": "number"}},
        "expected": {"task_type": "retrieve", "status": "SUCCESS", "retrieved_data": [14]},
    }
    unreadable = verified(4, ["gitlab"], {**answer, "expected": {"task_type": "sing"}})
    with pytest.raises(TaskFileError, match=r"other\.json: webarena-verified does not start: "):
        make(task_file=written(tmp_path / "other.json", [unreadable]))
    world = make(task_file=written(tmp_path / "mine.json", [verified(3, ["gitlab"], answer)]))
    for text, score in (("14", 1.0), ("[14]", 1.0), ("15", 0.0), ("many", 0.0)):
        world.reset(options={"task": "mine-3"})
        assert world.step(f"stop [{text}]")[1] == score


def test_without_the_package_the_command_is_named(cache):
    assert installed.folder() == cache / "webarena-verified-1.2.3"
    with pytest.raises(VerifiedMissing, match="agentgym-rl doctor web --install"):
        WebArena.tasks("test", sites={"map": "http://h:1"})
    (cache / "webarena-verified-1.2.3" / "bin").mkdir(parents=True)
    (cache / "webarena-verified-1.2.3" / "bin" / "python").touch()
    with pytest.raises(VerifiedMissing, match=r"lacks the task list webarena-verified\.json: remove it, then"):
        WebArena.tasks("test", sites={"map": "http://h:1"})


@pytest.mark.slow
def test_an_installation_that_fails_leaves_nothing(cache, monkeypatch):
    monkeypatch.setattr(installed, "REQUIREMENT", "no-such-distribution-of-ours==1.0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(VerifiedMissing, match=r"no-such-distribution-of-ours==1\.0 can't be installed: .*"):
        installed.install()
    assert list(cache.iterdir()) == []
