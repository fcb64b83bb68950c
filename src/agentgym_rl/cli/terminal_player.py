"""A person at the terminal as an actor, and an actor that tells what another one does."""

from __future__ import annotations

import signal
from collections.abc import Callable

from rich.console import Console

from agentgym_rl.agents.rollout.actor import Actor, Episode, EpisodeJob
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.evaluation.transcript import printable
from agentgym_rl.records.trajectory import Trajectory, Turn

HELP = "Write an action. ? lists the admissible ones, then a number takes one. ! lets the expert act. Ctrl-D ends."


class InputEnded(Exception):
    """The person has closed the input; the episode so far is in :attr:`Narrated.trajectory`."""


class InputStopped(Exception):
    """The person pressed Ctrl-C. An ordinary exception, because asyncio would complain of a KeyboardInterrupt in a task."""


class TerminalPlayer:
    """Reads each action with ``ask``. A line that asks for help (``?``, ``!``, a number) is no action."""

    wants_admissible = True

    def __init__(self, console: Console, ask: Callable[[], str]) -> None:
        self.console = console
        self.ask = ask

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> _TerminalEpisode:  # noqa: ARG002
        return _TerminalEpisode(self, environment)


class _TerminalEpisode:
    def __init__(self, player: TerminalPlayer, environment: AsyncEnvironment) -> None:
        self._player = player
        self._environment = environment

    async def act(self, state: Transition, turn: int) -> Turn:  # noqa: ARG002
        action = await self._choose(state.admissible)
        admissible = None if state.admissible is None else list(state.admissible)
        return Turn(observation=state.text, message=action, action=action, admissible=admissible)

    async def _choose(self, admissible: tuple[str, ...] | None) -> str:
        listed: tuple[str, ...] = ()
        while True:
            line = self._read()
            if line == "?":
                listed = admissible or ()
                text = "\n".join(f"{number:3} {action}" for number, action in enumerate(listed, start=1))
                self._player.console.print(printable(text) or "this world cannot list its actions", style="dim")
            elif line == "!":
                action = await self._environment.expert_action()
                if action is not None:
                    self._player.console.print(printable(action), style="dim")
                    return action
                self._player.console.print("the expert has no action here", style="dim")
            elif line in (numbers := [str(number) for number in range(1, len(listed) + 1)]):
                return listed[numbers.index(line)]
            else:
                return line

    def _read(self) -> str:
        # While a line is awaited Ctrl-C must end the program: asyncio's own handler would wait for the line first.
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return self._player.ask().strip()
        except EOFError as error:
            raise InputEnded from error
        except KeyboardInterrupt as error:
            raise InputStopped from error
        finally:
            signal.signal(signal.SIGINT, previous)

    def finish(self, trajectory: Trajectory) -> None:
        """A person leaves nothing behind."""


class Narrated:
    """Plays as ``actor`` does and prints each observation and action as it happens."""

    def __init__(self, actor: Actor, console: Console, *, echo: bool) -> None:
        self.wants_admissible = actor.wants_admissible
        self.trajectory: Trajectory | None = None
        self._actor = actor
        self._console = console
        self._echo = echo

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> _NarratedEpisode:
        return _NarratedEpisode(self, self._actor.begin(job, environment, attempt), self._console, self._echo)


class _NarratedEpisode:
    def __init__(self, narrated: Narrated, episode: Episode, console: Console, echo: bool) -> None:
        self._narrated = narrated
        self._episode = episode
        self._console = console
        self._echo = echo

    async def act(self, state: Transition, turn: int) -> Turn:
        self._console.print(printable(state.text))
        decided = await self._episode.act(state, turn)
        if self._echo:
            self._console.print(f"{turn + 1}> {printable(decided.message) or '(nothing)'}", style="bold cyan")
            if decided.action is not None and decided.action.strip() != decided.message.strip():
                self._console.print(f"   = {printable(decided.action)}", style="cyan")
        return decided

    def finish(self, trajectory: Trajectory) -> None:
        self._narrated.trajectory = trajectory
        self._episode.finish(trajectory)
