"""Messages restricted to the admissible actions of a state, behind an optional free thought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from agentgym_rl.agents.action_spaces.join import forced, join
from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.chat.renderer import ChatRenderer
from agentgym_rl.agents.engines.protocol import SampleRequest, SampleResult, TokenEngine
from agentgym_rl.agents.formats.protocol import ActionFormat

REMEMBERED_ACTIONS = 1 << 16
"""Actions whose token ids are kept; an action takes well under a kilobyte."""
REMEMBERED_STATES = 256
"""Lists of actions whose trees are kept: the episodes of a group meet the same ones."""


class CannotRestrict(ValueError):
    """The actions of a state are nothing that messages could be restricted to."""


class Choices:
    """The admissible actions of one state as token sequences."""

    __slots__ = ("_actions", "longest", "trie")

    def __init__(self, actions: dict[tuple[int, ...], str], around: int = 0) -> None:
        self._actions = actions
        self.trie = TokenTrie.build(actions)
        self.longest = max(map(len, actions)) + around
        """Most tokens of a message with an empty thought: the room that has to be there."""

    def action_of(self, ids: Sequence[int]) -> str:
        """The action whose sequence ``ids`` is. KeyError for anything else."""
        return self._actions[tuple(ids)]


class AdmissibleSpace:
    """Samples messages that carry an admissible action.

    Each action is written in the format, encoded alone and closed by the renderer's end of turn, so that ``ball 1`` is no
    prefix of ``ball 10``. Encoded actions and whole states are remembered.

    With ``thought_tokens`` a message has two phases. First the model writes freely, one line behind the format's opening
    of a thought, until a newline, an end of turn or that many tokens; then what closes a thought follows (a newline first,
    where the model wrote none) and one of the actions. What is put in between is forced: part of the message, not sampled.
    Raises ValueError where the format has no place for a thought.
    """

    def __init__(self, renderer: ChatRenderer, action_format: ActionFormat, *, thought_tokens: int = 0) -> None:
        self._renderer = renderer
        self._format = action_format
        self._thought_tokens = thought_tokens
        self._opening: list[int] = []
        self._newline: list[int] = []
        self._before_action = ""
        if thought_tokens:
            if action_format.thought is None:
                raise ValueError(f"the {action_format.name} format has no place for a thought: set agent.thought_tokens=0")
            before, after = action_format.thought
            self._opening = renderer.encode_message(before.rstrip())
            self._newline = renderer.encode_continuing("\n")
            self._before_action = after.removeprefix("\n")
        self._encode = lru_cache(REMEMBERED_ACTIONS)(self._encode_action)
        self._choices = lru_cache(REMEMBERED_STATES)(self._make_choices)

    def choices(self, actions: Sequence[str]) -> Choices:
        """The choices of a state.

        Raises:
            CannotRestrict: ``actions`` is empty, two of them are the same token ids, or the format cannot carry one.
        """
        try:
            return self._choices(tuple(actions))
        except ValueError as error:
            raise CannotRestrict(str(error)) from error

    async def sample(self, engine: TokenEngine, request: SampleRequest, choices: Choices) -> tuple[SampleResult, str]:
        """Sample a message and its action. ``request.sampling.max_tokens`` has to be ``choices.longest`` at least; what is
        more goes to the thought.
        """
        done = SampleResult()
        if self._thought_tokens:
            done = await self._think(
                engine, request, min(self._thought_tokens, request.sampling.max_tokens - choices.longest)
            )
        result = await engine.sample(
            replace(
                request,
                context=[*request.context, *done.token_ids],
                key=request.key._replace(turn=-1 - request.key.turn) if self._thought_tokens else request.key,
                sampling=replace(request.sampling, max_tokens=choices.longest),
                allowed=choices.trie,
            )
        )
        return join(done, result), choices.action_of(result.token_ids)

    async def _think(self, engine: TokenEngine, request: SampleRequest, tokens: int) -> SampleResult:
        done = forced(self._opening)
        if tokens > 0:
            thought = await engine.sample(
                replace(
                    request,
                    context=[*request.context, *self._opening],
                    sampling=replace(request.sampling, max_tokens=tokens),
                    stop_ids=request.stop_ids | self._renderer.newline_ids,
                    allowed=None,
                )
            )
            done = join(done, thought)
        if done.token_ids and done.token_ids[-1] in self._renderer.newline_ids:
            return done
        return join(done, forced(self._newline))

    def _encode_action(self, action: str) -> tuple[int, ...]:
        if self._thought_tokens:
            body = self._renderer.encode_continuing(self._before_action + self._format.write(action))
        else:
            body = self._renderer.encode_message(self._format.write(action))
        return (*body, *self._renderer.end_of_turn)

    def _make_choices(self, actions: tuple[str, ...]) -> Choices:
        sequences: dict[tuple[int, ...], str] = {}
        for action in actions:
            known = sequences.setdefault(self._encode(action), action)
            if known != action:
                raise ValueError(f"the tokenizer cannot tell {known!r} from {action!r}: use agent.action_space=free")
        if not sequences:
            raise ValueError("the world lists no admissible actions: use agent.action_space=free")
        return Choices(sequences, len(self._opening) + len(self._newline))
