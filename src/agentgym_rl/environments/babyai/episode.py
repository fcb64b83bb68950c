"""One episode: a simulation, what the agent has seen of it so far, and what it sees now."""

from __future__ import annotations

from functools import cached_property

from agentgym_rl.environments.babyai.actions import Moves, Options
from agentgym_rl.environments.babyai.simulation import Moved, Simulation, Thing
from agentgym_rl.environments.babyai.text import describe_view
from agentgym_rl.environments.babyai.view import Seen, things, visible, walls


class State:
    """The world as seen at one moment. Everything is worked out once, when it is first asked for."""

    def __init__(self, simulation: Simulation, known: bytearray, in_view: list[tuple[int, int, int]]) -> None:
        self._simulation = simulation
        self._known = known
        self._in_view = in_view

    @cached_property
    def in_sight(self) -> list[Seen]:
        return things(self._simulation, self._in_view)

    @cached_property
    def options(self) -> Options:
        return Options(self._simulation, self._known, self.in_sight)

    @cached_property
    def text(self) -> str:
        return describe_view(self._simulation, self.in_sight, walls(self._simulation, self._in_view))


class Episode:
    """A level being played."""

    def __init__(self, level: str, seed: int) -> None:
        self.simulation = Simulation(level, seed)
        self.known = bytearray(len(self.simulation.cells))
        """1 for each cell seen so far. What is in them is as last seen: only the agent changes things, in front of it."""
        self.faced: dict[int, Thing] = {}
        """The things the agent has stood in front of after an action, by object identity."""
        self.state = self._look()

    def do(self, moves: Moves) -> Moved:
        """Make primitive moves up to the first that changes nothing or ends the episode; what the last one made did."""
        moved = Moved(False, 0.0, "running")
        for primitive in moves:
            moved = self.simulation.do(primitive)
            self.state = self._look()
            if not moved.changed or moved.status != "running":
                break
        if (front := self.simulation.cells[self.simulation.front]) is not None:
            self.faced[id(front)] = front
        return moved

    def _look(self) -> State:
        in_view = visible(self.simulation)
        for cell, _, _ in in_view:
            self.known[cell] = 1
        return State(self.simulation, self.known, in_view)
