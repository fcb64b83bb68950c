"""One MiniGrid level as flat data: cells, the agent, primitive moves. The only file that touches MiniGrid.

A cell is an integer, ``y * width + x``; a direction 0 to 3 (right, down, left, up).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.envs.registration import load_env_creator
from numpy.typing import NDArray

from agentgym_rl.environments.babyai.levels import gym_id
from agentgym_rl.environments.errors import MissingExtra

LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE = range(6)
"""MiniGrid's primitive actions (its seventh, ``done``, does nothing in these levels)."""

TILE = 32
"""Pixels of a cell's side in the picture."""
PICTURE = 7 * TILE
"""Pixels of the picture's side: MiniGrid's view is 7 by 7 cells."""

Thing = Any
"""A MiniGrid object: ``type``, ``color``; a door also ``is_open`` and ``is_locked``; a box ``contains``."""

Status = Literal["running", "success", "failure", "out of steps"]


def _silent(*_values: object) -> None:
    """Stands in for ``print`` in MiniGrid's level generator, which reports every rejected layout on stdout."""


@cache
def require_minigrid() -> None:
    """Import MiniGrid, which registers its levels with Gymnasium. Not before a world is made: it takes a while.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        from minigrid.envs.babyai.core import roomgrid_level
    except ModuleNotFoundError as error:
        message = f"environment 'babyai' needs {error.name}: pip install 'agentgym-rl[babyai]'"
        raise MissingExtra(message, name=error.name) from error
    # A module's own name hides the built-in, so nothing global changes and other threads' output is left alone.
    vars(roomgrid_level)["print"] = _silent


@cache
def _minigrid_level(level: str) -> tuple[Any, dict[str, Any]]:
    """The class and constructor arguments of a level."""
    require_minigrid()
    spec = gymnasium.spec(gym_id(level))
    return load_env_creator(str(spec.entry_point)), dict(spec.kwargs)


@dataclass(frozen=True, slots=True)
class Moved:
    """What a primitive move did."""

    changed: bool
    reward: float
    status: Status


class Simulation:
    """A level at the layout of a seed. A fresh MiniGrid object each, so that nothing of an earlier episode can leak in."""

    def __init__(self, level: str, seed: int) -> None:
        """Raises MissingExtra where MiniGrid is not installed."""
        make, kwargs = _minigrid_level(level)
        self.env: Any = make(**kwargs)
        # MiniGrid's own observation is not used and costs 40 times the move itself.
        self.env.gen_obs = lambda: None
        self.env.reset(seed=seed)
        self.width: int = self.env.grid.width
        self.steps: tuple[int, int, int, int] = (1, self.width, -1, -self.width)
        """What to add to a cell to move in each direction."""
        self.mission: str = self.env.mission
        self.changes = 0
        """Counts every change of anything but the agent's place."""
        self._things: tuple[int, str] = (-1, "")

    @property
    def cells(self) -> list[Thing | None]:
        """What stands in each cell. The outermost cells are walls."""
        cells: list[Thing | None] = self.env.grid.grid
        return cells

    @property
    def agent(self) -> int:
        x, y = self.env.agent_pos
        return int(y) * self.width + int(x)

    @property
    def direction(self) -> int:
        return int(self.env.agent_dir)

    @property
    def front(self) -> int:
        """The cell the agent faces."""
        return self.agent + self.steps[self.direction]

    @property
    def carrying(self) -> Thing | None:
        return self.env.carrying

    @property
    def instruction(self) -> Any:
        """MiniGrid's verifier of the mission: what is asked and which part is done. For the oracle only."""
        return self.env.instrs

    def cell(self, position: Any) -> int:
        """The cell of MiniGrid's (x, y)."""
        return int(position[1]) * self.width + int(position[0])

    def do(self, primitive: int) -> Moved:
        """Make one primitive move."""
        before = self._near()
        _, reward, terminated, truncated, _ = self.env.step(primitive)
        after = self._near()
        changed = before != after
        if changed and primitive >= PICK_UP:
            self.changes += 1
        status: Status = "running"
        if terminated:
            status = "success" if reward > 0 else "failure"
        elif truncated:
            status = "out of steps"
        return Moved(changed, float(reward), status)

    def _near(self) -> tuple[object, ...]:
        """All that one primitive move can change."""
        front = self.cells[self.front]
        return self.agent, self.direction, id(self.carrying), id(front), front is not None and describe(front)

    def state_key(self) -> str:
        """Hash of mission, grid, agent, what is carried and which parts of the mission are done; equal in every process."""
        if self._things[0] != self.changes:
            parts = (f"{cell}:{describe(thing)}" for cell, thing in enumerate(self.cells) if thing and thing.type != "wall")
            self._things = (self.changes, " ".join(parts))
        carried = describe(self.carrying) if self.carrying else ""
        progress = [str(done) for done in progress_of(self.instruction)]
        state = "|".join([self.mission, str(self.agent), str(self.direction), carried, *progress, self._things[1]])
        return hashlib.blake2b(state.encode(), digest_size=12).hexdigest()

    def picture(self) -> NDArray[np.uint8]:
        """What the agent sees as MiniGrid draws it, itself in the middle of the lowest row: uint8[PICTURE, PICTURE, 3]."""
        picture: NDArray[np.uint8] = self.env.get_frame(highlight=False, tile_size=TILE, agent_pov=True)
        return picture

    def layout_key(self) -> str:
        """Hash of all there is at the start, walls too: two layouts of equal key are the same task."""
        walls = "".join("#" if thing and thing.type == "wall" else "." for thing in self.cells)
        return hashlib.blake2b(f"{self.width}|{walls}|{self.state_key()}".encode(), digest_size=12).hexdigest()


def door_state(door: Thing) -> str:
    """``open``, ``closed`` or ``locked``."""
    if door.is_open:
        return "open"
    return "locked" if door.is_locked else "closed"


def name(thing: Thing) -> str:
    """Colour and kind: ``red ball``."""
    return f"{thing.color} {thing.type}"


def describe(thing: Thing) -> str:
    """All that matters about a thing but its place."""
    if thing.type == "door":
        return f"{name(thing)} {door_state(thing)}"
    if thing.type == "box" and thing.contains:
        return f"{name(thing)} with {describe(thing.contains)}"
    return name(thing)


def progress_of(instruction: Any) -> list[bool]:
    """Which parts of a compound mission are done."""
    if not hasattr(instruction, "instr_a"):
        return []
    done = [instruction.a_done == "success", instruction.b_done == "success"]
    return done + progress_of(instruction.instr_a) + progress_of(instruction.instr_b)
