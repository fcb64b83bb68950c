"""A world in 60 lines: fetch a parcel from one floor of a house and bring it to another."""

from itertools import product

from agentgym_rl.environments.protocol import ActionFunction, Environment
from agentgym_rl.environments.task_set import Task, TaskSet

FLOORS = range(1, 9)
ACTIONS = {"up": "One floor up.", "down": "One floor down.", "take": "Take the parcel.", "deliver": "Hand it over."}
SPLITS = ("test", "validation", "train", "train", "train")


class Courier(Environment):
    id = "courier"
    summary = "Fetch a parcel from one floor of a house and bring it to another."
    instructions = "You are a courier in a lift. Actions: 'up', 'down', 'take' the parcel, 'deliver' it where it belongs."
    action_schema = tuple(ActionFunction(name, description) for name, description in ACTIONS.items())

    @classmethod
    def tasks(cls, split, **settings):
        every = [
            Task(f"{at}-{parcel}-{goal}", cls.id, SPLITS[number % 5], "near" if abs(at - parcel) < 3 else "far",
                 {"at": at, "parcel": parcel, "goal": goal})
            for number, (at, parcel, goal) in enumerate(product(FLOORS, FLOORS, FLOORS)) if parcel != goal
        ]  # fmt: skip
        return TaskSet(task for task in every if task.split == split)

    def _begin(self, task):
        self.floor, self.held, self.parcel, self.goal = task.data["at"], False, task.data["parcel"], task.data["goal"]
        return f"A parcel on floor {self.parcel} belongs to floor {self.goal}. {self._place()}", self._info()

    def _act(self, action):
        if action not in ACTIONS:
            return f"There is no such action; say {', '.join(ACTIONS)}.", 0.0, False, False, self._info(understood=False)
        if action not in self.admissible_actions():
            return f"That is not possible here. {self._place()}", 0.0, False, False, self._info()
        if action == "deliver":
            return "Delivered.", 1.0, True, False, self._info(success=True)
        self.held = self.held or action == "take"
        self.floor += {"up": 1, "down": -1}.get(action, 0)
        return self._place(), 0.0, False, False, self._info()

    def _place(self):
        return f"You are on floor {self.floor} {'with' if self.held else 'without'} the parcel."

    def _info(self, *, understood=True, success=False):
        key = f"{self.task.id} {self.floor} {self.held}"
        return {"score": float(success), "success": success, "understood": understood, "state_key": key}

    def admissible_actions(self):
        possible = {"up": self.floor < FLOORS[-1], "down": self.floor > FLOORS[0]}
        possible["take"] = not self.held and self.floor == self.parcel
        possible["deliver"] = self.held and self.floor == self.goal
        return [action for action in ACTIONS if possible[action]]

    def expert_action(self):
        to = self.goal if self.held else self.parcel
        if self.floor == to:
            return "deliver" if self.held else "take"
        return "up" if self.floor < to else "down"
