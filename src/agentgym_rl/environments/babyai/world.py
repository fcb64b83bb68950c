"""The BabyAI environment: MiniGrid's BabyAI levels as a text world with high-level actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from agentgym_rl.environments.babyai import expert, shortcuts
from agentgym_rl.environments.babyai.actions import INSTRUCTIONS, SCHEMA, read
from agentgym_rl.environments.babyai.episode import Episode
from agentgym_rl.environments.babyai.levels import choose
from agentgym_rl.environments.babyai.simulation import PICTURE, require_minigrid
from agentgym_rl.environments.babyai.task_list import task_set
from agentgym_rl.environments.protocol import Environment, Info, Observation
from agentgym_rl.environments.spaces import text_and_image
from agentgym_rl.environments.task_set import Split, Task, TaskSet

ENDINGS = {"success": "Goal reached.", "failure": "The mission has failed.", "out of steps": "No steps are left."}


def check_options(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The levels meant. Raises ValueError, also for an ``image`` that is neither true nor false."""
    image = options.get("image", False)
    if not isinstance(image, bool):
        raise ValueError(f"environment 'babyai': image must be true or false, not {image!r}")
    return choose(options.get("levels"))


class BabyAI(Environment):
    """BabyAI (Chevalier-Boisvert et al. 2019, arXiv:1810.08272) on MiniGrid.

    Args:
        levels: which levels the tasks come from: None for the 18 of the AgentGym-RL benchmark, ``"all"``, or names.
        image: observations are ``{"text": str, "image": uint8[224, 224, 3]}``, the picture of what the agent sees.

    Raises:
        ValueError: an unknown level, or an option of another type.
        MissingExtra: MiniGrid is not installed.
    """

    id: ClassVar[str] = "babyai"
    summary: ClassVar[str] = "Rooms, doors and things to go to, pick up, open and move (MiniGrid's BabyAI levels)"
    extra: ClassVar[str | None] = "babyai"
    instructions = INSTRUCTIONS
    action_schema = SCHEMA

    def __init__(self, *, levels: Sequence[str] | str | None = None, image: bool = False) -> None:
        super().__init__(levels=levels, image=image)
        check_options(self.settings)
        require_minigrid()
        self.image = image
        if image:
            self.observation_space = text_and_image(PICTURE, PICTURE)
        self._episode: Episode

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> TaskSet:
        """The tasks of a split, of the benchmark's 18 levels unless ``levels`` says otherwise. Needs no MiniGrid."""
        return task_set(split, check_options(settings))

    def _begin(self, task: Task) -> tuple[Observation, Info]:
        self._episode = Episode(task.data["level"], task.data["seed"])
        text = f"Goal: {self._episode.simulation.mission}\n{self._episode.state.text}"
        return self._observation(text), self._info()

    def _act(self, action: str) -> tuple[Observation, float, bool, bool, Info]:
        episode = self._episode
        options = episode.state.options
        understood = read(action)
        if understood is None:
            text = f"That is no action here. You can: {', '.join(options.moves)}.\n{episode.state.text}"
            return self._observation(text), 0.0, False, False, self._info(understood=False)
        called = " ".join(filter(None, understood))
        if called not in options.moves:
            text = f"You can't {called}: {options.why_not(*understood)}.\n{episode.state.text}"
            return self._observation(text), 0.0, False, False, self._info()
        moved = episode.do(options.moves[called])
        text = ENDINGS.get(moved.status) or episode.state.text
        success = moved.status == "success"
        terminated = moved.status in ("success", "failure")
        truncated = moved.status == "out of steps"
        info = self._info(score=moved.reward, success=success)
        return self._observation(text), moved.reward, terminated, truncated, info

    def admissible_actions(self) -> list[str]:
        """Every high-level action that would change something now; things nearest first."""
        return list(self._episode.state.options.moves)

    def expert_action(self) -> str:
        """The next action of an oracle that knows the whole grid."""
        return expert.next_action(self._episode)

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """``visit``: face one thing after the other; ``collect``: pick up one after the other. They never read the goal."""
        return {
            "visit": lambda random: shortcuts.visit(self._episode, random),
            "collect": lambda random: shortcuts.collect(self._episode, random),
        }

    def _observation(self, text: str) -> Observation:
        return {"text": text, "image": self._episode.simulation.picture()} if self.image else text

    def _info(self, *, score: float = 0.0, success: bool = False, understood: bool = True) -> Info:
        key = self._episode.simulation.state_key()
        return {"score": score, "success": success, "understood": understood, "state_key": key}
