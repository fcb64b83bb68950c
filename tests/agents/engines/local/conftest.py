"""Conversations with a local engine, and a reference that samples one message at a time without any cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import torch

from agentgym_rl.agents.action_spaces.trie import TokenTrie
from agentgym_rl.agents.engines.local import LocalEngine
from agentgym_rl.agents.engines.local.draws import uniform
from agentgym_rl.agents.engines.local.sampling import draw
from agentgym_rl.agents.engines.protocol import DrawKey, SampleRequest, SampleResult, Sampling
from agentgym_rl.agents.models import tree_attention

STOP = frozenset({2, 7})


@dataclass
class Talk:
    """An episode: before each message some ids are put into the context."""

    group: int
    index: int
    observations: list[list[int]]
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=6))
    tries: Sequence[Sequence[Sequence[int]] | None] = ()
    """For each turn the token sequences that are allowed; None: free."""
    first_turn: int = 0
    """The number of the first turn."""

    def request(self, session: int, context: list[int], turn: int) -> SampleRequest:
        allowed = self.tries[turn] if self.tries else None
        sampling = self.sampling
        if allowed is not None:
            sampling = replace(sampling, max_tokens=max(map(len, allowed)))
        return SampleRequest(
            session=session,
            context=context,
            key=DrawKey(0, 1, self.group, self.index, 0, self.first_turn + turn),
            sampling=sampling,
            stop_ids=STOP,
            allowed=None if allowed is None else TokenTrie.build(allowed),
            group=self.group,
        )


async def hold(engine: LocalEngine, talk: Talk, waits: int = 0) -> list[SampleResult]:
    """Hold one conversation; ``waits`` turns of the event loop pass before each message."""
    session = engine.open(talk.group)
    try:
        context: list[int] = []
        results = []
        for turn, observation in enumerate(talk.observations):
            for _ in range(waits):
                await asyncio.sleep(0)
            context += observation
            result = await engine.sample(talk.request(session, context, turn))
            context += result.token_ids
            results.append(result)
        return results
    finally:
        engine.close(session)


def reference(model: Any, talk: Talk) -> list[SampleResult]:
    """The same by Transformers' own attention: one sequence, no cache, the whole vocabulary."""
    model.set_attn_implementation("sdpa")
    try:
        context: list[int] = []
        results = []
        for turn, observation in enumerate(talk.observations):
            context += observation
            request = talk.request(0, context, turn)
            results.append(_message(model, request))
            context += results[-1].token_ids
        return results
    finally:
        model.set_attn_implementation(tree_attention.NAME)


@torch.no_grad()
def _message(model: Any, request: SampleRequest) -> SampleResult:
    result = SampleResult(kept=[])
    node = request.allowed
    ids = result.token_ids
    assert result.kept is not None
    while True:
        if node is not None and not node.children:
            return result
        if node is None and ids and ids[-1] in request.stop_ids:
            return result
        if len(ids) == request.sampling.max_tokens:
            result.stop = "length"
            return result
        choices = None if node is None else node.choices()
        if choices is not None and len(choices) == 1:
            token, log_prob, sampled = choices[0], 0.0, False
        else:
            logits = model(input_ids=torch.tensor([[*request.context, *ids]]), use_cache=False).logits[0, -1]
            candidates = None if choices is None else torch.tensor(choices)
            drawn = draw(
                logits if candidates is None else logits[candidates],
                candidates,
                request.sampling,
                uniform(request.key, len(ids)),
            )
            token, log_prob, sampled = drawn.token, drawn.log_prob, True
            result.kept.append(drawn.kept or [])
        ids.append(token)
        result.log_probs.append(log_prob)
        result.sampled.append(sampled)
        node = None if node is None else node.children[token]


@pytest.fixture
def talk() -> type[Talk]:
    return Talk


@pytest.fixture
def speak() -> Callable[..., list[list[SampleResult]]]:
    """Holds many conversations at once."""

    def run(engine: LocalEngine, talks: Sequence[Talk], waits: Sequence[int] = ()) -> list[list[SampleResult]]:
        async def everything() -> list[list[SampleResult]]:
            lags = [*waits, *[0] * len(talks)]
            return await asyncio.gather(*(hold(engine, one, lags[number]) for number, one in enumerate(talks)))

        return asyncio.run(everything())

    return run


@pytest.fixture
def alone() -> Callable[..., list[SampleResult]]:
    return reference
