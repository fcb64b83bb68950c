"""One episode: what an action does to it, its score, and how far it has followed the simulator's solution."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from agentgym_rl.environments.sciworld.actions import clean
from agentgym_rl.environments.sciworld.admissible import offered
from agentgym_rl.environments.sciworld.remembered import Remembered
from agentgym_rl.environments.sciworld.simulator import AMBIGUOUS, Simulator

UNKNOWN = "No known action matches that input."
CANCELLED = "That is the number of none of the choices: the request is cancelled."
_NOT_READ = (UNKNOWN, "Unknown action.")
_CHOICE = re.compile(r"^(\d+):\t", re.MULTILINE)


@dataclass
class Episode:
    """``simulator`` has the task loaded."""

    simulator: Simulator
    task: tuple[str, int, str]
    """Kind, variation and simplifications."""
    electrical: bool
    moves: int
    """The most moves of time."""
    everything: bool
    """Offer every valid action."""
    text: str = field(init=False)
    """What was observed last."""
    score: int = 0
    """0 to 100."""
    choices: int = 0
    """How many there are to choose from, after an ambiguous action; else 0."""
    understood: bool = True
    completed: bool = False
    out_of_moves: bool = False
    crashed: bool = False
    history: list[str] = field(default_factory=list)
    """The actions that were passed on and read."""

    def __post_init__(self) -> None:
        self.text = f"{self.simulator.describe()}\n{self.simulator.look()}"
        self._actions: list[str] | None = None
        self._view: str | None = None

    @property
    def ended(self) -> bool:
        return self.completed or self.out_of_moves or self.crashed

    def act(self, action: str) -> None:
        """Take an action: the fields say what came of it."""
        self._actions = self._view = None
        choices, self.choices = self.choices, 0
        said = clean(action)
        if choices and not (said and said.isdecimal() and int(said) < choices):
            self.simulator.cancel()
            self.understood, self.text = False, CANCELLED
            return
        if said is None:
            self.understood, self.text = False, UNKNOWN
            return
        answer = self.simulator.step(said)
        self.text = answer.text
        self.understood = not answer.text.startswith(_NOT_READ)
        if answer.text.startswith(AMBIGUOUS):
            self.choices = len(_CHOICE.findall(answer.text))
        if self.understood:
            self.history.append(said)
        self.completed = answer.completed or answer.score < 0
        self.score = max(0, round(100 * answer.score))
        if not self.completed:
            self.crashed = self.simulator.crashed()
            self.out_of_moves = self.simulator.moves() > self.moves

    def state_key(self, task: str) -> str:
        """Hash of what can be seen: the room, the inventory, the score and an open question."""
        if self._view is None:
            self._view = f"{self.simulator.look()}\n{self.simulator.inventory()}"
        question = self.text if self.choices else ""
        state = f"{task}\n{self._view}\n{self.score}\n{question}"
        return hashlib.blake2b(state.encode(), digest_size=16).hexdigest()

    def admissible(self) -> list[str]:
        """The actions on offer, found out when they are first asked for: by one of the episodes that came this way, for what
        is on offer depends on nothing but the task and the actions so far.
        """
        if self.choices:
            return [str(number) for number in range(self.choices)]
        if self._actions is None and self.everything:
            self._actions = self._offered()
        if self._actions is None:
            self._actions = _offers.get((*self.task, *self.history), self._offered)
        return list(self._actions)

    def _offered(self) -> list[str]:
        scene = self.simulator.scene(electrical=self.electrical or self.everything)
        return offered(scene, everything=self.everything)


_offers: Remembered[tuple[str | int, ...], list[str]] = Remembered(1024)
"""Of the useful actions only: of the others there are thousands."""
