"""A model behind a chat server that acts: messages in, text out. For evaluation; it cannot be trained."""

from __future__ import annotations

from agentgym_rl.agents.engines.protocol import ChatEngine, Message, Sampling
from agentgym_rl.agents.formats import ActionFormat, format_named
from agentgym_rl.agents.rollout.actor import EpisodeJob
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import Transition
from agentgym_rl.records.trajectory import Trajectory, Turn


class ChatActor:
    """Begins episodes in which the model behind a :class:`~agentgym_rl.agents.engines.protocol.ChatEngine` acts.

    A server cannot be held to token sequences, so the action space is free; raises ValueError for any other.
    Of ``settings`` the format and the instructions are used: the server renders and remembers in its own way.
    """

    wants_admissible = False

    def __init__(self, engine: ChatEngine, settings: AgentSettings, sampling: Sampling) -> None:
        if settings.action_space != "free":
            raise ValueError(
                f"a chat server cannot restrict messages: agent.action_space={settings.action_space} needs local weights"
            )
        self.engine = engine
        self.settings = settings
        self.sampling = sampling

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> ChatEpisode:  # noqa: ARG002
        """A conversation of its own."""
        action_format = format_named(self.settings.format, environment.action_schema)
        world = environment.instructions if self.settings.instructions is None else self.settings.instructions
        instructions = "\n\n".join(filter(None, (world, action_format.instructions(environment.action_schema))))
        return ChatEpisode(self, action_format, instructions)


class ChatEpisode:
    """One episode of a :class:`ChatActor`."""

    def __init__(self, actor: ChatActor, action_format: ActionFormat, instructions: str) -> None:
        self._actor = actor
        self._format = action_format
        self._messages: list[Message] = [{"role": "system", "content": instructions}] if instructions else []

    async def act(self, state: Transition, turn: int) -> Turn:  # noqa: ARG002
        """Ask for one message and read its action."""
        self._messages.append({"role": "user", "content": state.text})
        message = await self._actor.engine.chat(self._messages, self._actor.sampling)
        self._messages.append({"role": "assistant", "content": message})
        action, problem = self._format.read(message)
        return Turn(observation=state.text, message=message, action=action, problem=problem)

    def finish(self, trajectory: Trajectory) -> None:
        """There are no token ids to record."""
