"""Environments of Gymnasium for tests: importing this registers them."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Text


class Steps(gymnasium.Env):
    """Adds the actions up, and a chance that the generator draws; ends at 3 or more. Actions are -1, 0 and 1."""

    metadata = {"render_modes": ["ansi", "rgb_array"]}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, render_mode=None, start=0, shape=(2,)):
        self.render_mode = render_mode
        self.start = start
        self.action_space = Discrete(3, start=-1)
        self.observation_space = Dict({"at": Box(-99, 99, shape), "note": Text(20)})

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        super().reset(seed=seed)
        self.at = self.start + float(self.np_random.integers(2))
        return self._observed(), {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.at += action
        self.chance = float(self.np_random.random())
        return self._observed(), float(action), self.at >= 3, False, {}

    def render(self):
        if self.render_mode == "ansi":
            return f"\x1b[41m{self.at:g}\x1b[0m\n"
        return np.full((4, 6, 3), 7 + self.at, np.uint8)

    def _observed(self):
        return {"at": np.full(self.observation_space["at"].shape, self.at), "note": f"at {self.at:g}"}


class Switches(gymnasium.Env):
    """Two switches; both up in one action is the reward."""

    def __init__(self, many=2):
        self.action_space = MultiDiscrete([2, many])
        self.observation_space = Discrete(2)

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        assert self.action_space.contains(action)
        won = bool(action[0] == 1 and action[1] == 1)
        return int(won), float(won), won, False, {}


class Echo(gymnasium.Env):
    """Wants to hear a word, of letters."""

    def __init__(self):
        self.action_space = Text(min_length=2, max_length=8)
        self.observation_space = Text(max_length=40)

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        super().reset(seed=seed)
        return "Say hello", {}

    def step(self, action):
        return f"You said {action}", float(action == "hello"), action == "hello", False, {}


class Steering(Switches):
    def __init__(self):
        super().__init__()
        self.action_space = Box(-1, 1, (1,))


class NeedsPackage(Switches):
    def __init__(self):
        import no_such_package  # noqa: F401


gymnasium.register("Steps-v0", Steps, max_episode_steps=8)
gymnasium.register("Chancy-v0", Steps, nondeterministic=True)
gymnasium.register("Costly-v0", Switches, reward_threshold=-5.0)
gymnasium.register("Switches-v0", Switches)
gymnasium.register("Echo-v0", Echo)
gymnasium.register("Steering-v0", Steering)
gymnasium.register("NeedsPackage-v0", NeedsPackage)
