"""A language model that acts: observation → chat renderer → engine → action."""

from __future__ import annotations

from dataclasses import replace

from agentgym_rl.agents.action_spaces.admissible import AdmissibleSpace
from agentgym_rl.agents.chat.conversation import Conversation
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.engines.protocol import DrawKey, SampleRequest, Sampling, TokenEngine
from agentgym_rl.agents.formats import ActionFormat, format_named
from agentgym_rl.agents.rollout.actor import ContextFull, EpisodeJob
from agentgym_rl.agents.settings import AgentSettings
from agentgym_rl.environments.aio.protocol import AsyncEnvironment
from agentgym_rl.environments.protocol import ActionSchema, Transition
from agentgym_rl.records.trajectory import Trajectory, Turn


class ModelActor:
    """Begins episodes in which the model behind ``engine`` acts. ``context`` is the most tokens it takes."""

    def __init__(
        self,
        engine: TokenEngine,
        renderer: ChatRenderer,
        settings: AgentSettings,
        sampling: Sampling,
        *,
        context: int,
        seed: int,
    ) -> None:
        self.engine = engine
        self.renderer = renderer
        self.settings = settings
        self.sampling = sampling
        self.context = context
        self.seed = seed
        self.wants_admissible = settings.action_space == "admissible"
        self._formats: dict[ActionSchema, tuple[ActionFormat, AdmissibleSpace]] = {}

    def begin(self, job: EpisodeJob, environment: AsyncEnvironment, attempt: int) -> ModelEpisode:
        """A conversation of its own in the engine."""
        schema = environment.action_schema
        if schema not in self._formats:
            action_format = format_named(self.settings.format, schema)
            space = AdmissibleSpace(self.renderer, action_format, thought_tokens=self.settings.thought_tokens)
            self._formats[schema] = action_format, space
        action_format, space = self._formats[schema]
        instructions = environment.instructions if self.settings.instructions is None else self.settings.instructions
        if not self.wants_admissible or self.settings.thought_tokens:
            told = action_format.instructions(schema)
            instructions = f"{instructions}\n\n{told}" if instructions and told else instructions or told
        conversation = Conversation(
            self.renderer,
            instructions,
            context_limit=self.context,
            window=self.settings.window,
            history=self.settings.history,
            message_tokens=self.sampling.max_tokens,
        )
        return ModelEpisode(self, job, attempt, conversation, action_format, space)


class ModelEpisode:
    """One episode of a :class:`ModelActor`."""

    def __init__(
        self,
        actor: ModelActor,
        job: EpisodeJob,
        attempt: int,
        conversation: Conversation,
        action_format: ActionFormat,
        space: AdmissibleSpace,
    ) -> None:
        self._actor = actor
        self._job = job
        self._attempt = attempt
        self._conversation = conversation
        self._format = action_format
        self._space = space
        self._version = 0
        self._session = actor.engine.open(job.group)

    async def act(self, state: Transition, turn: int) -> Turn:
        """Sample one message and read its action."""
        actor, job, conversation = self._actor, self._job, self._conversation
        sampling, choices = actor.sampling, None
        needed, longest = 1, sampling.max_tokens
        if actor.wants_admissible:
            choices = self._space.choices(list(state.admissible or ()))
            needed, longest = choices.longest, choices.longest + actor.settings.thought_tokens
        conversation.observe(state.text, longest)
        if conversation.room < needed:
            raise ContextFull(
                f"after {len(conversation.context)} tokens of context there is room for {conversation.room}, and a message "
                f"may take {needed}: set agent.window, or take a model with a longer context"
            )
        request = SampleRequest(
            session=self._session,
            context=conversation.context,
            key=DrawKey(actor.seed, job.step, job.group, job.index, self._attempt, turn),
            sampling=replace(sampling, max_tokens=min(longest, conversation.room)),
            stop_ids=actor.renderer.stop_ids,
            group=job.group,
        )
        action: str | None
        problem: str | None
        if choices is not None:
            (result, action), problem = await self._space.sample(actor.engine, request, choices), None
            message = conversation.add_message(result)
        else:
            result = await actor.engine.sample(request)
            message = conversation.add_message(result)
            action, problem = self._format.read(message)
        self._version = result.policy_version
        return Turn(
            observation=state.text,
            message=message,
            action=action,
            problem=problem,
            stop=result.stop,
            admissible=list(state.admissible) if state.admissible is not None else None,
            kept=result.kept,
        )

    def finish(self, trajectory: Trajectory) -> None:
        """Add the segments and close the engine's session."""
        trajectory.segments = self._conversation.segments
        trajectory.history_rewrites = self._conversation.history_rewrites
        trajectory.window_drops = self._conversation.window_drops
        trajectory.policy_version = self._version
        self._actor.engine.close(self._session)
