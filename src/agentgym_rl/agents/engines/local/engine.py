"""The local engine: many episodes in one forward pass, prefixes computed once, forced tokens appended unsampled.

A *tick* is one forward pass over the tokens that are not cached yet of all messages in the making, whatever their
lengths, and one drawn token for each. Episodes join and leave at any tick. In the deterministic mode a tick waits until
every open session asks for a message, so that its batch depends on the episodes alone, never on the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agentgym_rl.agents.engines.local.draws import uniform
from agentgym_rl.agents.engines.local.prefix_tree import Node, PrefixTree, Session, Slots
from agentgym_rl.agents.engines.local.sampling import draw
from agentgym_rl.agents.engines.protocol import SampleRequest, SampleResult
from agentgym_rl.agents.models.head import candidate_logits, vocabulary_logits
from agentgym_rl.agents.models.tree_attention import AttentionPlan, KeyValuePool, Run, make_plan, smallest_window

_FIRST_CAPACITY = 4096
_MAX_TOKENS = 4096
"""Most tokens of one forward pass; a bigger tick is cut, which bounds memory."""


@dataclass(slots=True)
class EngineCounters:
    """Work done since :meth:`LocalEngine.take_counters`."""

    computed: int = 0
    """Tokens that went through the model."""
    sampled: int = 0
    """Tokens drawn (forced ones are not)."""
    ticks: int = 0


@dataclass(eq=False)
class _Message:
    """A message in the making."""

    request: SampleRequest
    future: asyncio.Future[SampleResult]
    result: SampleResult = field(default_factory=SampleResult)

    def __post_init__(self) -> None:
        self.allowed = self.request.allowed
        if self.allowed is not None or self.request.sampling.top_k or self.request.sampling.top_p < 1:
            self.result.kept = []

    def append(self, token: int, log_prob: float, sampled: bool) -> None:
        self.result.token_ids.append(token)
        self.result.log_probs.append(log_prob)
        self.result.sampled.append(sampled)
        if self.allowed is not None:
            self.allowed = self.allowed.children[token]

    def follow_forced(self) -> None:
        """Append the tokens that are the only choice."""
        while not self.done and self.allowed is not None and len(self.allowed.children) == 1:
            self.append(next(iter(self.allowed.children)), 0.0, sampled=False)

    @property
    def done(self) -> bool:
        ids, request = self.result.token_ids, self.request
        if self.allowed is not None:
            if not self.allowed.children:
                return True
        elif ids and ids[-1] in request.stop_ids:
            return True
        if len(ids) >= request.sampling.max_tokens:
            self.result.stop = "length"
            return True
        return False


class LocalEngine:
    """Samples from ``model`` (a Transformers causal LM with the tree attention) on the model's device.

    The model may be the learner's own: call :meth:`weights_changed` after each update.
    """

    def __init__(self, model: Any, *, deterministic: bool = True) -> None:
        self.model = model
        self.policy_version = 0
        self._deterministic = deterministic
        self._sessions: dict[int, Session] = {}
        self._trees: dict[int, PrefixTree] = {}
        self._next_session = 0
        self._slots = Slots(_FIRST_CAPACITY)
        self._pool: KeyValuePool | None = None
        self._messages: list[_Message] = []
        self._scheduled = False
        self._ticking = False
        self._closing: list[int] = []
        self._counters = EngineCounters()
        self._sliding_window = smallest_window(model.config)

    def open(self, group: int) -> int:
        """A new session; those of one ``group`` share the prefixes they have in common."""
        tree = self._trees.setdefault(group, PrefixTree())
        tree.sessions += 1
        self._next_session += 1
        self._sessions[self._next_session] = Session(group, tree)
        return self._next_session

    def close(self, session: int) -> None:
        """Free a session; with the last of its group the group's cache."""
        if self._ticking:
            self._closing.append(session)
            return
        entry = self._sessions.pop(session, None)
        if entry is None:
            return
        entry.tree.sessions -= 1
        if entry.tree.sessions == 0:
            self._slots.release(entry.tree.slots)
            if self._trees.get(entry.group) is entry.tree:
                del self._trees[entry.group]
        if self._messages:
            self._schedule()

    def weights_changed(self, version: int) -> None:
        """The model's weights are now those after step ``version``: every cached key is dropped."""
        self.policy_version = version
        self._slots = Slots(self._slots.capacity)
        self._trees.clear()
        for session in self._sessions.values():
            session.tree = self._trees.setdefault(session.group, PrefixTree())
            session.tree.sessions += 1
            session.forget()

    def release_memory(self) -> None:
        """Give the key-value pool back; the next message makes a new one. Only between messages."""
        self.weights_changed(self.policy_version)
        self._pool, self._slots = None, Slots(_FIRST_CAPACITY)

    def take_counters(self) -> EngineCounters:
        """The work done since the last call."""
        counters, self._counters = self._counters, EngineCounters()
        return counters

    async def sample(self, request: SampleRequest) -> SampleResult:
        """Sample one message. Exceptions of the model reach every waiting caller; a session that is not open is a KeyError."""
        if request.session not in self._sessions:
            raise KeyError(f"session {request.session} is not open")
        message = _Message(request, asyncio.get_running_loop().create_future())
        self._messages.append(message)
        self._schedule()
        try:
            return await message.future
        finally:
            if message in self._messages:
                self._messages.remove(message)

    def _schedule(self) -> None:
        if self._scheduled:
            return
        self._scheduled = True
        loop = asyncio.get_running_loop()
        if self._deterministic:
            loop.call_soon(self._tick_when_all_wait)
        else:
            self._task = loop.create_task(self._tick_in_thread())

    def _tick_when_all_wait(self) -> None:
        self._scheduled = False
        if self._messages and len(self._messages) == len(self._sessions):
            self._settle(self._messages, self._run_tick(self._messages))
            if self._messages:
                self._schedule()

    async def _tick_in_thread(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._messages:
                batch = list(self._messages)
                self._ticking = True
                error = await loop.run_in_executor(None, self._run_tick, batch)
                self._ticking = False
                while self._closing:
                    self.close(self._closing.pop())
                self._settle(batch, error)
                await asyncio.sleep(0)  # whoever is ready joins the next tick
        finally:
            self._scheduled = self._ticking = False

    def _settle(self, batch: Sequence[_Message], error: Exception | None) -> None:
        if error is not None:
            self.weights_changed(self.policy_version)  # what was to be computed counts as cached already
        for message in list(batch):
            if message.future.done():
                self._discard(message)
            elif error is not None:
                self._discard(message)
                message.future.set_exception(error)
            elif message.done:
                message.result.policy_version = self.policy_version
                self._discard(message)
                message.future.set_result(message.result)

    def _discard(self, message: _Message) -> None:
        if message in self._messages:
            self._messages.remove(message)

    def _run_tick(self, batch: Sequence[_Message]) -> Exception | None:
        try:
            self._tick(sorted(batch, key=_order))
        except Exception as error:
            return error
        return None

    @torch.inference_mode()
    def _tick(self, batch: Sequence[_Message]) -> None:
        live: list[_Message] = []
        for message in batch:
            message.follow_forced()
            if not message.done and message.request.session in self._sessions:
                live.append(message)
        ends = self._cache(live)
        if not live:
            return
        self._counters.ticks += 1
        hidden = torch.stack([self._hidden_of(end) for end in ends])
        restricted = [i for i, message in enumerate(live) if message.allowed is not None]
        free = [i for i, message in enumerate(live) if message.allowed is None]
        if free:
            logits = vocabulary_logits(self.model, hidden[free])
            for row, i in enumerate(free):
                self._draw(live[i], logits[row], None)
        if restricted:
            choices = [message.allowed.choices() for message in live if message.allowed is not None]
            width = max(map(len, choices))
            padded = torch.tensor([ids + ids[-1:] * (width - len(ids)) for ids in choices], device=hidden.device)
            logits = candidate_logits(self.model, hidden[restricted], padded).cpu()
            for row, i in enumerate(restricted):
                count = len(choices[row])
                self._draw(live[i], logits[row, :count], torch.tensor(choices[row]))
        for message in live:
            message.follow_forced()

    def _draw(self, message: _Message, logits: Tensor, candidates: Tensor | None) -> None:
        request, result = message.request, message.result
        drawn = draw(logits, candidates, request.sampling, uniform(request.key, len(result.token_ids)))
        if result.kept is not None:
            result.kept.append(drawn.kept if drawn.kept is not None else [])
        message.append(drawn.token, drawn.log_prob, sampled=True)
        self._counters.sampled += 1

    @staticmethod
    def _hidden_of(end: Node) -> Tensor:
        assert end.hidden is not None
        return end.hidden

    def _cache(self, live: Sequence[_Message]) -> list[Node]:
        """Compute what is missing of each message's context; the nodes they end on, with hidden states."""
        tokens: list[int] = []
        positions: list[int] = []
        runs: list[Run] = []
        last: dict[int, tuple[Node, int]] = {}
        ends: list[Node] = []
        for message in live:
            session = self._sessions[message.request.session]
            context = [*message.request.context, *message.result.token_ids]
            if context[: len(session.ids)] != session.ids:
                session.forget()
            node, path = session.node, session.path
            run: list[int] = []
            for token in context[len(session.ids) :]:
                child = node.children.get(token)
                if child is None:
                    child = node.children[token] = Node(self._slots.take())
                    session.tree.slots.append(child.slot)
                    run.append(child.slot)
                    tokens.append(token)
                    positions.append(len(path))
                path.append(child.slot)
                node = child
            if not run and node.hidden is None and id(node) not in last:
                run, tokens, positions = [node.slot], [*tokens, context[-1]], [*positions, len(path) - 1]
            if run:
                done = len(path) - len(run)
                own = np.array(run, dtype=np.int64)
                runs.append(Run(len(tokens) - len(run), np.array(path[:done], dtype=np.int64), own))
                last[id(node)] = (node, len(tokens) - 1)
            session.node, session.ids = node, context
            ends.append(node)
        if tokens:
            self._forward(tokens, positions, runs, list(last.values()))
        return ends

    def _forward(
        self, tokens: Sequence[int], positions: Sequence[int], runs: Sequence[Run], ends: Sequence[tuple[Node, int]]
    ) -> None:
        device = self.model.device
        if self._pool is None:
            self._pool = KeyValuePool.create(self.model.config, self._slots.capacity, self.model.dtype, device)
        if self._pool.capacity < self._slots.capacity:
            self._pool.grow(self._slots.capacity)
        self._counters.computed += len(tokens)
        chunk: list[Run] = []
        first = 0
        for position, run in enumerate(runs):
            chunk.append(run)
            stop = run.row + len(run.own)
            if position + 1 == len(runs) or stop + len(runs[position + 1].own) - first > _MAX_TOKENS:
                local = [Run(member.row - first, member.path, member.own) for member in chunk]
                slots = torch.from_numpy(np.concatenate([member.own for member in chunk])).to(device)
                plan = AttentionPlan(make_plan(local, device, self._sliding_window), self._pool, slots)
                hidden = self.model.get_decoder()(
                    input_ids=torch.tensor([tokens[first:stop]], device=device),
                    position_ids=torch.tensor([positions[first:stop]], device=device),
                    attention_plan=plan,
                    use_cache=False,
                ).last_hidden_state[0]
                for node, row in ends:
                    if first <= row < stop:
                        node.hidden = hidden[row - first].clone()
                chunk, first = [], stop


def _order(message: _Message) -> tuple[int, tuple[int, ...], int]:
    """Batches do not depend on the order in which requests came."""
    return message.request.group, message.request.key, message.request.session
