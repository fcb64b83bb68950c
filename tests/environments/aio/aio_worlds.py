"""A world that misbehaves on request. In a module of its own, so that worker processes can import it."""

import os
import signal
import subprocess
import sys
import threading

from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import Task, TaskSet

TASK = Task("only", "imp", "train", "all")


class Imp(Environment):
    id = "imp"
    summary = "misbehaves"
    instructions = "be bad"
    action_schema = ()

    def __init__(self, bad_start=False):
        super().__init__(bad_start=bad_start)
        self.release = threading.Event()
        self.freed = threading.Event()
        if bad_start and os.environ.get("IMP_WORKER"):
            raise OSError("no start today")

    @classmethod
    def tasks(cls, split, **_settings):
        return TaskSet([TASK] if split == "train" else [])

    def _begin(self, _task):
        return f"begin {os.getpid()}", self._info()

    def _act(self, action):
        match action:
            case "hang":
                self.release.wait()
            case "raise":
                raise ValueError("a bug in the world")
            case "exit":
                os._exit(3)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "print":
                print("noise" * 1000, flush=True)
            case "child":
                child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
                return str(child.pid), 0.0, False, False, self._info()
        return f"{action} {threading.current_thread().name}", 0.0, False, False, self._info()

    def _info(self):
        return {"score": 0.0, "success": False, "understood": True, "state_key": None}

    def _free(self):
        self.freed.set()

    def admissible_actions(self):
        return ["wait"]

    def expert_action(self):
        return "wait"

    def shortcuts(self):
        return {"dice": lambda random: f"dice {random.integers(1000)}"}
