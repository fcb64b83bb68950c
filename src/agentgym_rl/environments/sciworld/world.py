"""The SciWorld environment: the ScienceWorld simulator as a text world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from agentgym_rl.environments.protocol import Environment, Info
from agentgym_rl.environments.sciworld import java, shortcuts
from agentgym_rl.environments.sciworld.actions import INSTRUCTIONS, SCHEMA
from agentgym_rl.environments.sciworld.episode import Episode
from agentgym_rl.environments.sciworld.kinds import BY_NAME
from agentgym_rl.environments.sciworld.options import MOVES, Options
from agentgym_rl.environments.sciworld.oracle import next_action, solution
from agentgym_rl.environments.sciworld.simulator import Simulator
from agentgym_rl.environments.sciworld.task_list import SciWorldTasks, published, task_set
from agentgym_rl.environments.task_set import Split, Task

CRASHED = "The simulator can't go on after this action. The episode ends."


class SciWorld(Environment):
    """ScienceWorld (Wang et al. 2022, arXiv:2203.07540).

    Args:
        kinds: which of the 30 kinds the tasks are of: None for the 23 of the AgentGym-RL benchmark, ``"all"``, or names or
            numbers, such as ``find-animal`` or ``4-4``.
        simplifications: names of the simulator's, or ``easy``.
        moves: the most moves of time; after more the episode is truncated.
        admissible: ``useful`` or ``all``: what :meth:`admissible_actions` lists.

    Raises:
        ValueError: a setting with another value.
        MissingExtra: Java or a package is not installed.
    """

    id: ClassVar[str] = "sciworld"
    summary: ClassVar[str] = "Do an experiment in the ScienceWorld lab: measure, mix, heat, connect, grow, find"
    extra: ClassVar[str | None] = "sciworld"
    instructions = INSTRUCTIONS
    action_schema = SCHEMA

    def __init__(
        self,
        *,
        kinds: Sequence[str] | str | None = None,
        simplifications: Sequence[str] | str = (),
        moves: int = MOVES,
        admissible: str = "useful",
    ) -> None:
        super().__init__(kinds=kinds, simplifications=simplifications, moves=moves, admissible=admissible)
        self._options = Options.of(self.settings)
        java.find_java()
        java.class_path()
        self._simulator: Simulator | None = None
        self._episode: Episode

    @classmethod
    def tasks(cls, split: Split, **settings: Any) -> SciWorldTasks:
        """The tasks of a split, of the benchmark's 23 kinds unless ``kinds`` says otherwise. Starts no Java."""
        return task_set(split, Options.of(settings).kinds)

    def _find(self, task: Task | str | None) -> Task:
        named = published(task) if isinstance(task, str) else None
        return named or super()._find(task)

    def _begin(self, task: Task) -> tuple[str, Info]:
        if self._simulator is None or self._simulator.gone:
            self._simulator = Simulator()
        kind = BY_NAME[task.data["kind"]]
        self._simplified = self._options.simplified(kind)
        loaded = (kind.name, task.data["variation"], self._simplified)
        self._simulator.load(*loaded)
        self._episode = Episode(self._simulator, loaded, kind.electrical, self._options.moves, self._options.everything)
        return self._episode.text, self._info()

    def _act(self, action: str) -> tuple[str, float, bool, bool, Info]:
        episode = self._episode
        before = episode.score
        episode.act(action)
        reward = (episode.score - before) / 100
        text = CRASHED if episode.crashed else episode.text
        return text, reward, episode.completed, episode.out_of_moves or episode.crashed, self._info()

    def _free(self) -> None:
        if self._simulator is not None:
            self._simulator.close()
            self._simulator = None

    def admissible_actions(self) -> list[str]:
        """The valid actions that are of use, or all of them; while a question is open, its numbers. Empty after the end."""
        return self._episode.admissible() if self.running else []

    def expert_action(self) -> str | None:
        """The next action of the simulator's own solution; None once an episode has left it, and after the end."""
        if not self.running or self.task is None:
            return None
        path = solution(self.task.data["kind"], self.task.data["variation"], self._simplified)
        return next_action(self._episode.history, path)

    def shortcuts(self) -> Mapping[str, Callable[[np.random.Generator], str]]:
        """``focus`` and ``explore``, see :mod:`agentgym_rl.environments.sciworld.shortcuts`."""
        return {
            "focus": lambda random: shortcuts.focus(self._episode, random),
            "explore": lambda random: shortcuts.explore(self._episode, random),
        }

    def _info(self) -> Info:
        assert self.task is not None
        episode = self._episode
        return {
            "score": episode.score / 100,
            "success": episode.score == 100,
            "understood": episode.understood,
            "state_key": episode.state_key(self.task.id),
        }
