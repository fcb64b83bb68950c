"""A world that keeps the contract, and ones that break it in one way each."""

import itertools
import os

from agentgym_rl.environments.protocol import Environment
from agentgym_rl.environments.task_set import SPLITS, Task, TaskSet


class Door(Environment):
    """Open it, then go."""

    id = "door"
    summary = "a door"
    instructions = "open the door, then go"
    action_schema = ()

    def __init__(self, wood="oak"):
        super().__init__(wood=wood)

    @classmethod
    def tasks(cls, split, **_settings):
        return TaskSet(Task(f"{split}-{number}", "door", split, "all") for number in range(2))

    def _begin(self, task):
        self.open = False
        return f"{task.id}: a closed door", self._info()

    def _act(self, action):
        self.open = self.open or action == "open"
        gone = self.open and action == "go"
        return "gone" if gone else "", float(gone), gone, False, self._info(action in ("open", "go"), gone)

    def _info(self, understood=True, success=False):
        return {"score": float(success), "success": success, "understood": understood, "state_key": str(self.open)}

    def admissible_actions(self):
        return ["go", "open"]

    def expert_action(self):
        return "go" if self.open else "open"


class ForgetsSettings(Door):
    def __init__(self, wood="oak"):
        super().__init__("pine" if wood == "oak" else wood)
        self.settings = {"wood": wood + "en"}


class SharedContent(Door):
    @classmethod
    def tasks(cls, split, **_settings):
        return TaskSet([Task(split, "door", split, "all", content="the same")])


class WrongSplit(Door):
    @classmethod
    def tasks(cls, split, **_settings):
        return TaskSet([Task(split, "door", SPLITS[0], "all")])


class StepsBeforeReset(Door):
    def step(self, action):
        return super().step(action) if self.running else ("", 0.0, False, False, {})


class ChokesOnText(Door):
    def _act(self, action):
        action.encode()
        return super()._act(action)


class PaysForNothing(Door):
    def _act(self, action):
        observation, reward, *rest = super()._act(action)
        return observation, reward + 0.1, *rest


class EchoesEverything(Door):
    def _act(self, action):
        return action, *super()._act(action)[1:]


class LacksInfo(Door):
    def _info(self, understood=True, success=False):
        return {"score": float(success), "success": success, "understood": understood}


class PaysTwice(Door):
    def _act(self, action):
        observation, reward, *rest = super()._act(action)
        return observation, 2 * reward, *rest


class LazyOracle(Door):
    def expert_action(self):
        return "open"


class OffersNonsense(Door):
    def admissible_actions(self):
        return ["go", "open", "dance"]


class OffersNothing(Door):
    def admissible_actions(self):
        return []


class OffersTwice(Door):
    def admissible_actions(self):
        return ["go", "open", "go"]


class OffersLess(Door):
    def admissible_actions(self):
        return ["go"]


class SeedInTheFirstObservation(Door):
    def _begin(self, task):
        observation, info = super()._begin(task)
        return f"{observation} {self.np_random.integers(1000)}", info


class Remembers(Door):
    episodes = itertools.count()

    def _act(self, action):
        return str(next(self.episodes)), *super()._act(action)[1:]


class HashSeed(Door):
    def _act(self, action):
        return os.environ.get("PYTHONHASHSEED", ""), *super()._act(action)[1:]
