"""A served model that acts: messages in, text out. For evaluation only, since nothing is known of its tokens."""

from __future__ import annotations

from agentgym_rl.agents.engines.protocol import ChatEngine, Message, Sampling
from agentgym_rl.agents.formats import ActionFormat, format_named
from agentgym_rl.agents.models.errors import ModelError
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.records.trajectory import Trajectory, Turn


class ChatActor:
    """Begins episodes in which the model behind a :class:`ChatEngine` acts.

    Raises :class:`ModelError` for settings that need the model's tokens: the admissible action space, a token window.
    """

    wants_admissible = False

    def __init__(self, engine: ChatEngine, settings: AgentSettings, sampling: Sampling) -> None:
        if settings.action_space != "free":
            raise ModelError("a served model can't be restricted to admissible actions: set agent.action_space=free")
        if settings.window.tokens is not None:
            raise ModelError("the tokens of a served model can't be counted: set agent.window.turns instead of tokens")
        self.engine = engine
        self.settings = settings
        self.sampling = sampling

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> ChatEpisode:  # noqa: ARG002
        """A conversation of its own."""
        schema = environment.action_schema
        action_format = format_named(self.settings.format, schema)
        instructions = environment.instructions if self.settings.instructions is None else self.settings.instructions
        told = "\n\n".join(part for part in (instructions, action_format.instructions(schema)) if part)
        return ChatEpisode(self, action_format, told)


class ChatEpisode:
    """One episode of a :class:`ChatActor`."""

    def __init__(self, actor: ChatActor, action_format: ActionFormat, instructions: str) -> None:
        self._actor = actor
        self._format = action_format
        self._opening: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
        self._history: list[Message] = []
        self._drops = 0

    async def act(self, state: Transition, turn: int) -> Turn:  # noqa: ARG002
        """Ask for one message and read its action."""
        self._history.append({"role": "user", "content": state.text})
        message = await self._actor.engine.chat([*self._opening, *self._window()], self._actor.sampling)
        self._history.append({"role": "assistant", "content": message})
        action, problem = self._format.read(message)
        return Turn(observation=state.text, message=message, action=action, problem=problem)

    def _window(self) -> list[Message]:
        """The first observation and the last turns of ``agent.window.turns``; roles keep alternating."""
        turns = self._actor.settings.window.turns
        recent = self._history if turns is None else self._history[-(2 * turns - 1) :]
        if len(recent) == len(self._history):
            return recent
        self._drops += 1
        goal = self._history[0]["content"]
        return [
            {"role": "user", "content": f"{goal}\n\n[earlier turns are left out]\n\n{recent[0]['content']}"},
            *recent[1:],
        ]

    def finish(self, trajectory: Trajectory) -> None:
        """Only the text is known: there are no segments."""
        trajectory.window_drops = self._drops
